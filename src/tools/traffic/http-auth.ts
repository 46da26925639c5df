// http_auth: sets the user name and password for HTTP authentication (basic, digest).
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { getCredentials } from '../../browser/state/credentials.ts';
import { ifDefined } from '../../core/defined.ts';
import { parseUrl } from '../../core/text.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/** The origin of the given URL, otherwise of the page. */
const originFrom = (given: string | undefined, pageUrl: string): string => {
  const address = given ?? pageUrl;
  const url = parseUrl(address);
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw fail(
    'invalid_argument',
    given === undefined
      ? 'The tab does not show a web page: pass the "origin" that requires the password.'
      : `"${given.slice(0, 200)}" is not an http or https URL.`,
    { argument: 'origin' },
  );
};

export const httpAuth = defineTool({
  name: 'http_auth',
  description:
    'Set the user name and password for HTTP authentication (basic, digest: a 401 without a ' +
    'login page). Set it, then navigate; it applies to this tab and one origin until cleared. ' +
    'For login forms use fill_form.',
  returns: '{credentials: [...], cleared?}',
  keywords: 'basic password credentials proxy login',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'list' ? 'read' : 'act'),
    scope: 'tab',
    observation: ({ action }) => action === 'list',
    duration: 'instant',
    dialog: 'allowed',
    loadsPages: true,
    timeoutMs: 5_000,
    takesSecrets: ['username', 'password'],
  },
  input: () => ({
    action: z.enum(['set', 'clear', 'list']).default('set'),
    username: z.string().max(1000).optional(),
    password: z.string().max(10_000).optional(),
    origin: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe("Origin to send it to, https://host (default: the page's)"),
  }),
  prepare: (input) => {
    if (input.action === 'set' && (input.username === undefined || input.password === undefined))
      throw fail('invalid_argument', 'http_auth needs "username" and "password".', {
        argument: input.username === undefined ? 'username' : 'password',
      });
    return input;
  },
  examples: [
    { origin: 'https://staging.example.com', username: 'ada', password: '${SECRET:STAGING}' },
    { action: 'clear' },
  ],
  run: async ({ action, origin, ...given }, { tab, services, fillSecrets }) => {
    const credentials = getCredentials(tab);
    if (action === 'set') {
      const place = { top: originFrom(origin, tab.url), frame: originFrom(origin, tab.url) };
      const username = await fillSecrets(given.username ?? '', place);
      const password = await fillSecrets(given.password ?? '', place);
      services.redactor.learn(password);
      // the value of the Authorization header
      services.redactor.learn(Buffer.from(`${username}:${password}`).toString('base64'));
      await credentials.set(originFrom(origin, tab.url), { username, password });
    }
    if (action !== 'clear') return { credentials: credentials.list() };
    const cleared = await credentials.clear(
      ifDefined(origin, (origin) => originFrom(origin, tab.url)),
    );
    return {
      cleared,
      credentials: credentials.list(),
      note: 'Chrome keeps sending credentials that a server has accepted, until Chrome exits.',
    };
  },
});
