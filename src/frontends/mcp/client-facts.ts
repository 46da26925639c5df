// What a client of the daemon says about itself with every request: its workspace, its folder, and
// how it wants to be answered.
import { defined } from '../../core/defined.ts';
import type { Config } from '../../core/config.ts';

/** Settings that are the client's own, where several share an engine. */
export type Wishes = Partial<Pick<Config, 'slim' | 'allTools' | 'structuredContent'>> & {
  /** Large replies are inline: the client is not a model. */
  readonly wholeReplies?: boolean;
};

export interface ClientFacts {
  /** The workspace of calls that name none. */
  readonly session?: string;
  /** Where relative paths begin, and what may be read and written besides the home folder. */
  readonly folder?: string;
  readonly wishes?: Wishes;
}

const HEADERS = {
  session: 'openchrome-session',
  folder: 'openchrome-folder',
  wishes: 'openchrome-wishes',
} as const;
export const FACT_HEADERS: readonly string[] = Object.values(HEADERS);

/** Encoded, because names and paths may hold what a header may not. */
export const toHeaders = ({ session, folder, wishes }: ClientFacts): Record<string, string> => ({
  ...(session === undefined ? {} : { [HEADERS.session]: encodeURIComponent(session) }),
  ...(folder === undefined ? {} : { [HEADERS.folder]: encodeURIComponent(folder) }),
  ...(wishes === undefined ? {} : { [HEADERS.wishes]: JSON.stringify(wishes) }),
});

export const fromHeaders = (header: (name: string) => string | null | undefined): ClientFacts => {
  const session = readable(() => decodeURIComponent(header(HEADERS.session) ?? ''));
  const folder = readable(() => decodeURIComponent(header(HEADERS.folder) ?? ''));
  const wishes = readable(() => JSON.parse(header(HEADERS.wishes) ?? 'null') as Wishes | null);
  return defined({
    session: session ? session : undefined,
    folder: folder ? folder : undefined,
    wishes: wishes ? wishes : undefined,
  });
};

const readable = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
