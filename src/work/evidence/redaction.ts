// What must not stand in a bundle besides the secrets that are known anyway: passwords in fields now, and the values of cookies.
import { readCookies } from '../../browser/state/cookies.ts';
import { readPasswords } from '../../browser/state/page-state.ts';
import { listOrigins } from '../../browser/tabs/origins.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import type { Redactor } from '../../core/redactor.ts';
import { createRedactor } from '../../policy/redact.ts';
import type { PageProbe } from './capture.ts';

/** A file outlives the page and may be handed on, so that here more is hidden than in a reply. */
export const bundleRedactor = async (tab: Tab, page: PageProbe, usual: Redactor, signal: AbortSignal): Promise<Redactor> => {
  const passwords = (await page.answers(signal)) ? await readPasswords(tab, signal) : [];
  const values = (await readCookies(tab, {}, signal)).map(({ value }) => value).filter(looksLikeSecret);
  const known = usual.forOrigins(listOrigins(tab));
  const further = createRedactor([...new Set([...passwords, ...values])]);
  const both: Redactor = {
    text: (text) => further.text(known.text(text)),
    data: (data) => further.data(known.data(data)),
    learn: (secret) => usual.learn(secret),
    learnFromPage: (origin, secret) => usual.learnFromPage(origin, secret),
    forOrigins: () => both,
  };
  return both;
};

/** `en-US`, `accepted` and `1280x720` stand in every page; what identifies somebody does not. */
const looksLikeSecret = (value: string): boolean => value.length >= 10 && /\d/.test(value) && /[a-z]/i.test(value);
