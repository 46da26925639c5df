// Which addresses may be opened, and what a person means by one without a scheme.
import { fail } from '../core/failure.ts';

const ALLOWED_SCHEMES = new Set(['http:', 'https:']);

/** `example.com` is https, `localhost:3000` and addresses of this machine are http. */
const withScheme = (text: string): string => {
  if (/^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text)) return text;
  const local = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/?#]|$)/i.test(text);
  return `${local ? 'http' : 'https'}://${text}`;
};

/** The address as Chrome would open it; what may not be opened is a failure that says why. */
export const parseAddress = (text: string, { files = false } = {}): string => {
  const trimmed = text.trim();
  if (trimmed === 'about:blank') return trimmed;
  let url: URL;
  try {
    url = new URL(withScheme(trimmed));
  } catch {
    throw fail('invalid_argument', `"${trimmed.slice(0, 200)}" is not an address.`, { argument: 'url' });
  }
  if (!ALLOWED_SCHEMES.has(url.protocol) && !(files && url.protocol === 'file:' && url.host === ''))
    throw fail('url_not_allowed', `Addresses with the scheme ${url.protocol} are not opened.`, { url: trimmed.slice(0, 200) });
  return url.href;
};
