// Requests of the page to its server.
import type { DashboardAction } from '../messages.ts';
import { KEY_HEADER } from '../paths.ts';

const STORED_KEY = 'openchrome-access';

/**
 * The key of this page: after a ticket it is in the fragment, then in the storage of this origin,
 * which programs on other ports of the same host cannot read.
 */
const loadKey = (): string => {
  const [, given] = /^#access=(\w+)$/.exec(location.hash) ?? [];
  if (given === undefined) return localStorage.getItem(STORED_KEY) ?? '';
  localStorage.setItem(STORED_KEY, given);
  history.replaceState(null, '', '/');
  return given;
};

const key = loadKey();

/** Adds the key to an address for which the browser sends no headers of ours. */
export const withKey = (path: string, query: Readonly<Record<string, string>> = {}): string =>
  `${path}?${new URLSearchParams({ ...query, access: key })}`;

/** The server answered with a failure. */
export class ServerFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string | undefined,
  ) {
    super(message);
  }
}

interface ServerFailureBody {
  readonly error?: {
    readonly message?: string;
    readonly data?: { readonly message?: string; readonly hint?: string };
  };
}

const readAnswer = async <T>(response: Response): Promise<T> => {
  if (response.ok) return (await response.json()) as T;
  const body = (await response.json().catch(() => ({}))) as ServerFailureBody;
  const message = body.error?.data?.message ?? body.error?.message ?? `HTTP ${response.status}`;
  throw new ServerFailure(response.status, message, body.error?.data?.hint);
};

export const fetchJson = async <T>(
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<T> => {
  const search = new URLSearchParams(query).toString();
  const address = search === '' ? path : `${path}?${search}`;
  return readAnswer<T>(await fetch(address, { headers: { [KEY_HEADER]: key } }));
};

export const postAction = async <T = unknown>(action: DashboardAction): Promise<T> =>
  readAnswer<T>(
    await fetch('/dashboard/action', {
      method: 'POST',
      headers: { 'content-type': 'application/json', [KEY_HEADER]: key },
      body: JSON.stringify(action),
    }),
  );
