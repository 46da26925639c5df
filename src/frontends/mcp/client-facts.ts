// Headers that a daemon's client sends with each request: session, folder and output settings.
import { attempt } from '../../core/attempt.ts';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import type { Config } from '../../core/config.ts';
import type { ShellClient } from '../../pipeline/call.ts';

/** Settings that each client of a shared engine has for itself. */
export type ClientPreferences = Partial<Pick<Config, 'slim' | 'allTools' | 'structuredContent'>> & {
  /** Large replies are inline: the client is not a model. */
  readonly wholeReplies?: boolean;
  /** The client is the command line of the user. */
  readonly shell?: ShellClient;
};

export interface ClientFacts {
  /** The session of calls that do not name one. */
  readonly session?: string;
  /** Base of relative paths; files may be read and written in it and in the home folder. */
  readonly folder?: string;
  readonly wishes?: ClientPreferences;
}

/** The key of a reply's facts in `_meta`; only the command line receives them. */
export const FACTS_KEY = 'openchrome/facts';

const HEADERS = {
  session: 'openchrome-session',
  folder: 'openchrome-folder',
  wishes: 'openchrome-wishes',
} as const;
export const FACT_HEADERS: readonly string[] = Object.values(HEADERS);

/** URI-encoded, because names and paths may contain characters that headers may not. */
export const toHeaders = ({ session, folder, wishes }: ClientFacts): Record<string, string> =>
  defined({
    [HEADERS.session]: ifDefined(session, encodeURIComponent),
    [HEADERS.folder]: ifDefined(folder, encodeURIComponent),
    [HEADERS.wishes]: ifDefined(wishes, JSON.stringify),
  });

export const fromHeaders = (header: (name: string) => string | null | undefined): ClientFacts => {
  const session = attempt(() => decodeURIComponent(header(HEADERS.session) ?? ''));
  const folder = attempt(() => decodeURIComponent(header(HEADERS.folder) ?? ''));
  const wishes = attempt(
    () => JSON.parse(header(HEADERS.wishes) ?? 'null') as ClientPreferences | null,
  );
  return compact({ session, folder, wishes });
};
