// cookies: lists, sets and deletes cookies; values are hidden unless the server may reveal them.
import { z } from 'zod';
import { defined, ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { canParseUrl } from '../../core/text.ts';
import {
  type Cookie,
  type CookieFilter,
  deleteCookies,
  readCookies,
  setCookie,
} from '../../browser/state/cookies.ts';
import { type ConsentTraits, defineTool } from '../../toolkit/define-tool.ts';
import { TIME_FIELD } from '../../toolkit/input-fields.ts';

const CHANGING_ACTIONS = new Set<string>(['set', 'delete']);

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

const input = () => ({
  action: z
    .enum(['list', 'set', 'delete', 'clear'])
    .default('list')
    .describe('delete: by name. clear: all cookies of the page or domain'),
  name: z.string().min(1).max(4096).optional(),
  value: z.string().max(4096).optional(),
  url: z.string().min(1).max(10_000).optional().describe("Whose cookies (default: the page's)"),
  domain: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('A domain with its subdomains, instead of url'),
  all: z.boolean().default(false).describe('Of all sites'),
  path: z.string().startsWith('/').max(4096).optional(),
  expires: TIME_FIELD.optional(),
  httpOnly: z.boolean().optional(),
  secure: z.boolean().optional(),
  sameSite: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.toLowerCase() : value),
      z.enum(['strict', 'lax', 'none']),
    )
    .optional(),
  reveal: z.boolean().optional().describe('Show values (needs --allow-reveal)'),
});

type CookiesInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

/** The given URL or the page's; throws if it is not http(s), because others have no cookies. */
const webAddress = (given: string | undefined, pageUrl: string): string => {
  const address = given ?? pageUrl;
  if (canParseUrl(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw fail(
    'invalid_argument',
    given === undefined
      ? 'The tab does not show a web page: pass a "url" or a "domain".'
      : `"${given.slice(0, 200)}" is not an http or https URL.`,
    { argument: 'url' },
  );
};

const buildFilter = (
  { url, domain, all, name, path }: CookiesInput,
  pageUrl: string,
): CookieFilter => {
  if (all) return { name, path };
  if (domain !== undefined) return { domain, name, path };
  return { url: webAddress(url, pageUrl), name, path };
};

/** The reply's form of a cookie; the redactor hides its value. */
const toEntry = ({
  name,
  value,
  domain,
  path,
  expires,
  httpOnly,
  secure,
  sameSite,
  partition,
}: Cookie): object =>
  defined({
    name,
    value,
    chars: value.length,
    domain,
    path,
    expires: expires < 0 ? 'session' : new Date(expires * 1000).toISOString(),
    httpOnly,
    secure,
    sameSite,
    partition,
  });

/**
 * Adds the leading dot: the cookie applies to the domain and its subdomains, as with Set-Cookie.
 */
const withBelow = (domain: string): string =>
  domain.startsWith('.') || !domain.includes('.') || /^[\d.]+$/.test(domain)
    ? domain
    : `.${domain}`;

const newCookie = (
  { name = '', value = '', url, domain, path, expires, httpOnly, secure, sameSite }: CookiesInput,
  pageUrl: string,
) => ({
  ...{ name, value, path, httpOnly, secure },
  domain: ifDefined(domain, withBelow),
  url: domain === undefined ? webAddress(url, pageUrl) : undefined,
  expires: ifDefined(expires, (expires) => expires / 1000),
  sameSite: ifDefined(sameSite, (sameSite) => SAME_SITE[sameSite]),
});

const locateCookies = ({ all, domain, url }: CookiesInput): NonNullable<ConsentTraits['pages']> => {
  if (all) return 'every';
  if (domain !== undefined) return { urls: [`https://${domain.replace(/^\.+/, '')}/`] };
  return url === undefined ? 'tab' : { urls: [url] };
};

export const cookies = defineTool({
  name: 'cookies',
  description:
    'List, set, delete or clear cookies of the page, of a url or domain, or of all sites. ' +
    'Values are hidden in replies. To keep a login for later use storage {action: "save"}.',
  returns:
    'list: {cookies: [{name, value, domain, path, expires?, …}]}; set: {set}; delete: {deleted}',
  keywords: 'login session consent',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'list' ? 'read' : 'act'),
    consent: (given) => ({ special: ['cookies'], pages: locateCookies(given) }),
    scope: 'tab',
    recipe: 'call',
    observation: ({ action }) => action === 'list',
    duration: 'instant',
    dialog: 'allowed',
    loadsPages: true,
    timeoutMs: 10_000,
    large: true,
    items: 'cookies',
    reveals: ({ reveal }) => reveal === true,
  },
  input,
  prepare: (given) => {
    const { action, name, value, all, domain, url } = given;
    if (CHANGING_ACTIONS.has(action) && name === undefined)
      throw fail('invalid_argument', `cookies: ${action} needs "name".`, { argument: 'name' });
    if (action === 'set' && value === undefined)
      throw fail('invalid_argument', 'cookies: set needs "value".', { argument: 'value' });
    if ([all || undefined, domain, url].filter((which) => which !== undefined).length > 1)
      throw fail('invalid_argument', 'cookies accepts only one of "url", "domain" and "all".', {
        argument: 'domain',
      });
    if (action === 'set' && all)
      throw fail('invalid_argument', 'A cookie can only be set for one url or domain.', {
        argument: 'all',
      });
    return given;
  },
  examples: [
    {},
    { action: 'set', name: 'theme', value: 'dark' },
    { action: 'clear', domain: 'example.com' },
  ],
  run: async (given, { tab, signal }) => {
    const { action } = given;
    if (action === 'set') {
      const kept = await setCookie(tab, newCookie(given, tab.url), signal);
      return kept
        ? { set: toEntry(kept) }
        : { set: null, note: 'The cookie has already expired, so Chrome removed it.' };
    }
    const filter = buildFilter(given, tab.url);
    if (action !== 'list') return { deleted: await deleteCookies(tab, filter, signal) };
    return { cookies: (await readCookies(tab, filter, signal)).map(toEntry) };
  },
});
