// Parses the addresses that agents may open, and adds a missing scheme.
import { defined } from '../core/defined.ts';
import { fail } from '../core/failure.ts';
import { parseUrl, textIf } from '../core/text.ts';
import { isThisMachine } from './network-address.ts';

const ALLOWED_SCHEMES = new Set(['http:', 'https:']);

/** `example.com` gets https; `localhost:3000` and addresses of this machine get http. */
const withScheme = (text: string): string => {
  if (/^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text)) return text;
  const url = parseUrl(`http://${text}`);
  return `${url && isThisMachine(url.hostname) ? 'http' : 'https'}://${text}`;
};

interface AddressOptions {
  /** Allow `file:` addresses. */
  readonly files?: boolean;
  /** Further schemes that the server's configuration allows. */
  readonly schemes?: readonly string[];
}

/**
 * Schemes that run code, show Chrome's own pages or contain a page. Allowed only by configuration.
 */
const FURTHER_SCHEMES = new Set(['chrome:', 'data:', 'javascript:', 'view-source:']);

/** Returns the address as Chrome would open it; throws if it is not allowed. */
export const parseAddress = (
  text: string,
  { files = false, schemes = [] }: AddressOptions = {},
): string => {
  const trimmed = text.trim();
  if (trimmed === 'about:blank') return trimmed;
  let url: URL;
  try {
    url = new URL(withScheme(trimmed));
  } catch {
    throw fail('invalid_argument', `"${trimmed.slice(0, 200)}" is not a valid URL.`, {
      argument: 'url',
    });
  }
  const allowed =
    ALLOWED_SCHEMES.has(url.protocol) ||
    (files && url.protocol === 'file:' && url.host === '') ||
    isFurther(url.protocol, schemes);
  if (allowed) return url.href;
  const hint = hintFor(url.protocol);
  throw fail(
    'url_not_allowed',
    `URLs with the scheme ${url.protocol} cannot be opened.`,
    defined({
      url: trimmed.slice(0, 200),
      hint,
    }),
  );
};

const isFurther = (protocol: string, schemes: readonly string[]): boolean =>
  FURTHER_SCHEMES.has(protocol) &&
  schemes
    .flatMap((named) => named.split(','))
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/:?(?:\/\/)?$/, ':'),
    )
    .includes(protocol);

const hintFor = (protocol: string): string | undefined => {
  if (protocol === 'file:') return 'Only a server started with --allow-file-access can open files.';
  if (!FURTHER_SCHEMES.has(protocol)) return undefined;
  const instead = textIf(
    protocol === 'javascript:',
    ' To run code in the page use javascript_tool.',
  );
  return (
    `Only a server started with --allow-scheme ${protocol.slice(0, -1)} can open ` +
    `them.${instead}`
  );
};
