// Sends a request from the page with its cookies; truncates the response body.
import { compact, defined } from '../objects.ts';
import type { ReplayAnswer, ReplayRequest } from '../call-answers.ts';
import { implement } from '../page-functions.ts';

const send = async ({
  url,
  method,
  headers,
  text,
  base64,
  timeoutMs,
  maxBytes,
}: ReplayRequest): Promise<ReplayAnswer> => {
  const body =
    base64 === undefined ? text : Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  try {
    const response = await fetch(
      url,
      defined({
        method,
        headers,
        credentials: 'include',
        signal: AbortSignal.timeout(timeoutMs),
        body,
      }),
    );
    const bytes = new Uint8Array(await response.arrayBuffer());
    return defined({
      status: response.status,
      url: response.url,
      contentType: response.headers.get('content-type') ?? '',
      size: bytes.length,
      ...toContent(bytes.length > maxBytes ? bytes.subarray(0, maxBytes) : bytes),
      ...compact({ truncated: bytes.length > maxBytes }),
    });
  } catch (error) {
    return { error: String(error) };
  }
};

const toContent = (bytes: Uint8Array): { readonly text: string } | { readonly base64: string } => {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    let binary = '';
    for (let at = 0; at < bytes.length; at += 0x8000)
      binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return { base64: btoa(binary) };
  }
};

export const functions = implement('replay', { send });
