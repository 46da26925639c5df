// Tells what a page is at first sight (title, login page, wall against bots) as it loads, so that
// nobody has to ask it afterwards.
import type { PageFacts } from '../call-answers.ts';
import { createLookupTable } from '../lookup-table.ts';

/** Put into this world by the tab; the page cannot see or call it. */
declare const __oc_tell: (facts: string) => void;

/** Ids that the makers of such walls give to elements of their pages. */
const WALL_IDS = createLookupTable<string>({
  'challenge-running': 'cloudflare',
  'challenge-form': 'cloudflare',
  'challenge-stage': 'cloudflare',
  'captcha-form': 'recaptcha',
  'px-captcha': 'perimeterx',
  'sec-if-cpt-container': 'akamai',
  'sec-cpt-if': 'akamai',
});
/** Addresses of the frames and scripts that they load. */
const WALL_SOURCES: readonly (readonly [part: string, wall: string])[] = [
  ['/cdn-cgi/challenge-platform/h/', 'cloudflare'],
  ['captcha-delivery.com', 'datadome'],
  ['_Incapsula_Resource', 'imperva'],
  ['.awswaf.com/', 'aws-waf'],
];

/**
 * Collections by tag and by id are kept by the browser: looking into them costs little on any page.
 */
const botWall = (): string | undefined => {
  for (const id in WALL_IDS) if (document.getElementById(id)) return WALL_IDS[id];
  for (const frame of document.getElementsByTagName('iframe')) {
    const known = WALL_SOURCES.find(([part]) => frame.src.includes(part));
    if (known) return known[1];
  }
  return document.scripts.length < 20 && document.getElementsByTagName('*').length < 200
    ? WALL_SOURCES.find(([part]) =>
        [...document.scripts].some(({ src }) => src.includes(part)),
      )?.[1]
    : undefined; // sites behind such a service load its script on their ordinary pages too
};

/** Fields that a login may have besides its password: a name, a code, a box to be remembered by. */
const MAX_LOGIN_FIELDS = 5;

/**
 * One visible password among few fields; two make a registration or a change of password, many a
 * form like any other.
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

const tell = (): void => {
  const facts: PageFacts = { title: document.title, login: isLogin(), botWall: botWall() };
  __oc_tell(JSON.stringify(facts));
};

if (window === window.top) {
  addEventListener('DOMContentLoaded', tell);
  addEventListener('load', tell);
  addEventListener('pageshow', ({ persisted }) => persisted && tell());
}
