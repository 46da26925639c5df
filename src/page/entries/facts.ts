// Reports the title, login form and bot wall of a page when it loads.
import type { PageFacts } from '../call-answers.ts';
import { createLookupTable } from '../objects.ts';

/** CDP binding in the isolated world; the page cannot see or call it. */
declare const __oc_tell: (facts: string) => void;

/** Element ids on the block pages of bot protection services. */
const WALL_IDS = createLookupTable<string>({
  'challenge-running': 'cloudflare',
  'challenge-form': 'cloudflare',
  'challenge-stage': 'cloudflare',
  'captcha-form': 'recaptcha',
  'px-captcha': 'perimeterx',
  'sec-if-cpt-container': 'akamai',
  'sec-cpt-if': 'akamai',
});
/** URL parts of the frames and scripts that bot protection services load. */
const WALL_SOURCES: readonly (readonly [part: string, wall: string])[] = [
  ['/cdn-cgi/challenge-platform/h/', 'cloudflare'],
  ['captcha-delivery.com', 'datadome'],
  ['_Incapsula_Resource', 'imperva'],
  ['.awswaf.com/', 'aws-waf'],
];

/** Uses only id and tag lookups, which are fast on pages of any size. */
const detectBotWall = (): string | undefined => {
  for (const id in WALL_IDS) if (document.getElementById(id)) return WALL_IDS[id];
  for (const frame of document.getElementsByTagName('iframe')) {
    const known = WALL_SOURCES.find(([part]) => frame.src.includes(part));
    if (known) return known[1];
  }
  // Protected sites load the script on ordinary pages too, so only a small page counts as a wall.
  if (document.scripts.length >= 20 || document.getElementsByTagName('*').length >= 200)
    return undefined;
  const sources = [...document.scripts].map(({ src }) => src);
  return WALL_SOURCES.find(([part]) => sources.some((src) => src.includes(part)))?.[1];
};

/** Maximum number of visible fields in a login form, including the password. */
const MAX_LOGIN_FIELDS = 5;

/**
 * A login form has one visible password and few fields. Two passwords mean a registration or a
 * password change.
 */
const isLogin = (): boolean => {
  const passwords = [...document.querySelectorAll<HTMLInputElement>('input[type=password]')].filter(
    (input) => input.checkVisibility(),
  );
  const [password] = passwords;
  if (!password || passwords.length > 1 || password.autocomplete === 'new-password') return false;
  const fields = (password.form ?? document).querySelectorAll(
    'input:not([type=hidden],[type=submit],[type=button]),select,textarea',
  );
  return [...fields].filter((field) => field.checkVisibility()).length <= MAX_LOGIN_FIELDS;
};

const reportFacts = (): void => {
  const facts: PageFacts = { title: document.title, login: isLogin(), botWall: detectBotWall() };
  __oc_tell(JSON.stringify(facts));
};

if (window === window.top) {
  addEventListener('DOMContentLoaded', reportFacts);
  addEventListener('load', reportFacts);
  addEventListener('pageshow', ({ persisted }) => persisted && reportFacts());
}
