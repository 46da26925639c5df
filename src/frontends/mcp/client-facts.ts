// What a client of the daemon says about itself with every request: its workspace, and the folder it works in.

export interface ClientFacts {
  /** The workspace of calls that name none. */
  readonly session?: string;
  /** Where relative paths begin, and what may be read and written besides the home folder. */
  readonly folder?: string;
}

const HEADERS = { session: 'openchrome-session', folder: 'openchrome-folder' } as const;
export const FACT_HEADERS: readonly string[] = Object.values(HEADERS);

/** Encoded, because names and paths may hold what a header may not. */
export const toHeaders = (facts: ClientFacts): Record<string, string> => {
  const given = Object.entries(HEADERS).map(([key, name]) => [name, facts[key as keyof ClientFacts]] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, encodeURIComponent(value)]])));
};

export const fromHeaders = (header: (name: string) => string | null | undefined): ClientFacts => {
  const read = (name: string): string | undefined => decode(header(name) ?? '');
  const [session, folder] = [read(HEADERS.session), read(HEADERS.folder)];
  return { ...(session === undefined ? {} : { session }), ...(folder === undefined ? {} : { folder }) };
};

const decode = (text: string): string | undefined => {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
};
