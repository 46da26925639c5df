// Requests of the page to its server.
import type { DashboardAction } from '../messages.ts';

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
  return readAnswer<T>(await fetch(search === '' ? path : `${path}?${search}`));
};

export const postAction = async <T = unknown>(action: DashboardAction): Promise<T> =>
  readAnswer<T>(
    await fetch('/dashboard/action', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(action),
    }),
  );
