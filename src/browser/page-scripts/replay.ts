// Sends a request from inside the page, with the page's cookies, and brings back what came, cut to a bound.

export interface ReplayRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly base64?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export type ReplayAnswer =
  | {
      readonly status: number;
      readonly url: string;
      readonly contentType: string;
      readonly size: number;
      readonly text?: string;
      readonly base64?: string;
      readonly truncated?: true;
    }
  | { readonly error: string };

export const replay = async ({ url, method, headers, text, base64, timeoutMs, maxBytes }: ReplayRequest): Promise<ReplayAnswer> => {
  const body = base64 === undefined ? text : Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  try {
    const response = await fetch(url, {
      method,
      headers,
      credentials: 'include',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return {
      status: response.status,
      url: response.url,
      contentType: response.headers.get('content-type') ?? '',
      size: bytes.length,
      ...toContent(bytes.length > maxBytes ? bytes.subarray(0, maxBytes) : bytes),
      ...(bytes.length > maxBytes ? { truncated: true as const } : {}),
    };
  } catch (error) {
    return { error: String(error) };
  }
};

const toContent = (bytes: Uint8Array): { readonly text: string } | { readonly base64: string } => {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    let binary = '';
    for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return { base64: btoa(binary) };
  }
};
