// Recognises the names of secrets: headers, fields, parameters and JSON keys.
import { textAt } from '../core/text.ts';

const LOGIN_WORDS = new Set<string>(['session', 'auth']);
const SECRET_WORDS = new Set<string>(['secret', 'clientsecret', 'apisecret']);

/**
 * Splits a name into words: `accessToken`, `access_token`, `Access-Token` and `user[accessToken]`
 * give the same words.
 */
const splitWords = (name: string): string[] =>
  name
    .slice(0, 100)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

const PASSWORD = /^(?:password|passwd|passwort|passphrase|passcode|pwd|contraseña|motdepasse)\d?$/;
/** Words that may follow "password": `password_confirmation`, `password2`, `password hash`. */
const PASSWORD_TAIL =
  /^(?:confirm|confirmation|again|repeat|retype|verify|hash|new|old|current|\d)$/;
/** `forgot_password` is a link and `show_password` is a switch. */
const ABOUT_PASSWORD = new Set(
  (
    'forgot forgotten reset show hide change has is toggle require requires required no ' +
    'without lost recover save remember'
  ).split(' '),
);

/** `accesstoken` and the like: words before "token". */
const TOKEN_KIND = new Set(
  (
    'access refresh id auth session csrf xsrf bearer api csrfmiddleware authenticity ' +
    'requestverification jwt'
  ).split(' '),
);
/** Kinds of tokens that are not secrets: page tokens, tokens of text, design tokens. */
const PLAIN_TOKEN = new Set(
  (
    'page next prev previous continuation continue cursor sync first last start stop end pad ' +
    'unk eos bos special design color colour mask max min num per separator sep text syntax ' +
    'lexer total count'
  ).split(' '),
);

const KEY_KIND = new Set(
  (
    'api secret private access encryption signing master auth client service account license ' +
    'ssh gpg deploy subscription functions webhook hmac session csrf xsrf'
  ).split(' '),
);
const KEY_JOINED = new Set('apikey secretkey privatekey accesskey authkey'.split(' '));
/** Kinds of keys that are not secrets: keys of tables, caches and lists, and public keys. */
const PLAIN_KEY = new Set(
  (
    'public publishable site primary foreign sort partition row column cache object file image ' +
    'asset item list map node entry group query lookup idempotency dedupe translation message ' +
    'locale label title text data field type route event menu page section react hot shortcut ' +
    'arrow registry storage issue project ticket feature flag style theme press last next ' +
    'start end'
  ).split(' '),
);
/** Matches `_wpnonce`, `X-WP-Nonce` and `restNonce`, but not `announce`. */
const NONCE = /^(?:wp|ajax|rest)?nonce$/;
const FORGERY = /^(?:csrf|xsrf)$/;
const HEADERS = new Set([
  'authorization',
  'proxy authorization',
  'cookie',
  'set cookie',
  'cookies',
  'x auth',
  'authentication info',
]);
const CODES = new Set([
  'otp',
  'cvv',
  'cvc',
  'csc',
  'totp',
  'mfa code',
  'security code',
  'one time code',
  'verification code',
  'card number',
  'cardnumber',
  'cc number',
  'cc csc',
]);
const SESSIONS = new Set([
  'session id',
  'sessionid',
  'phpsessid',
  'jsessionid',
  'connect sid',
  'asp net session id',
  'sid',
]);

/** Whether a value looks like a random key: long, with digits and letters, without words. */
const looksRandom = (value: string): boolean =>
  value.length >= 16 &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  /^[\w\-.~+/=%:]+$/.test(value);

/**
 * Like `looksRandom` for shorter keys (WordPress): no spaces, and a digit or at least 20
 * characters.
 */
const looksOpaque = (value: string): boolean =>
  value.length >= 8 && !/\s/.test(value) && (/\d/.test(value) || value.length >= 20);

/** Values that describe themselves, a word and a short code: `serial-1x2y`, `order-17`. */
const LABELLED = /^[a-z]{3,20}-[a-z\d]{1,12}$/;

/** Whether a value under a name with this verdict is a secret. */
const TESTS: Readonly<Record<NameVerdict, (value: string) => boolean>> = {
  secret: () => true,
  random: looksRandom,
  opaque: looksOpaque,
  unlabelled: (value) => !LABELLED.test(value),
  parameter: () => false,
  plain: () => false,
};

/** Whether a value under this name is a secret. */
export const isSecretName = (name: string, value: string): boolean => TESTS[verdictOn(name)](value);

/**
 * `random`: secret if the value looks random. `opaque`: the same, for shorter values. `unlabelled`:
 * secret unless the value describes itself. `parameter`: like random, but only in a URL.
 */
type NameVerdict = 'secret' | 'random' | 'opaque' | 'unlabelled' | 'parameter' | 'plain';

/** A cache, because the same few names occur again and again. */
const verdicts = new Map<string, NameVerdict>();
const MAX_VERDICTS = 5000;

/** A path in the shape of a body; its value is a type, not a secret. */
const SHAPE_PATH = /^\$[.[]/;

const verdictOn = (name: string): NameVerdict => {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const verdict = SHAPE_PATH.test(name) ? 'plain' : judge(splitWords(name));
  if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
  if (name.length <= 100) verdicts.set(name, verdict);
  return verdict;
};

const judge = (words: readonly string[]): NameVerdict => {
  const last = words.at(-1);
  if (last === undefined || words.length > 6) return 'plain';
  const joined = words.join(' ');
  if (HEADERS.has(joined) || CODES.has(joined)) return 'secret';
  if (SESSIONS.has(joined)) return 'random';
  if (joined === 'secret') return 'unlabelled';
  if (isPassword(words) || isToken(words, last) || isKey(words, last)) return 'secret';
  return MAYBE_SECRET_PARAMETER.has(joined) ? 'parameter' : judgeLastWord(words, last);
};

/**
 * Names of several words whose last word makes a secret likely: `X-Session`, `X-Hub-Signature-256`.
 */
const judgeLastWord = (words: readonly string[], last: string): NameVerdict => {
  if (NONCE.test(last) || FORGERY.test(last)) return 'opaque';
  const main = /^\d{1,4}$/.test(last) ? words.at(-2) : last;
  if (words.length < 2 || main === undefined) return 'plain';
  const isHeader = words[0] === 'x';
  if (LOGIN_WORDS.has(main)) return isHeader ? 'opaque' : 'random';
  if (main === 'signature') return 'random';
  if (main !== 'key' || words.some((word) => PLAIN_KEY.has(word))) return 'plain';
  return isHeader ? 'opaque' : 'random';
};

const isPassword = (words: readonly string[]): boolean => {
  const at = words.findLastIndex(
    (word) => PASSWORD.test(word) || /(?:password|passwd)$/.test(word),
  );
  if (at < 0 || words.some((word) => ABOUT_PASSWORD.has(word))) return false;
  return words.slice(at + 1).every((word) => PASSWORD_TAIL.test(word));
};

const isToken = (words: readonly string[], last: string): boolean => {
  if (last.endsWith('token') && TOKEN_KIND.has(last.slice(0, -5))) return true;
  return last === 'token' && !words.some((word) => PLAIN_TOKEN.has(word));
};

const isKey = (words: readonly string[], last: string): boolean => {
  if (KEY_JOINED.has(last) || SECRET_WORDS.has(last)) return true;
  return last === 'key' && KEY_KIND.has(textAt(words, -2));
};

/** URL parameters that are secrets only if the value looks like one: `?code=US` is a country. */
const MAYBE_SECRET_PARAMETER = new Set([
  ...'key code sig signature auth session sid state hash ticket assertion samlresponse'.split(' '),
  'x amz signature',
  'x amz credential',
  'x goog signature',
  'x goog credential',
  'oauth signature',
]);

export const isSecretParameter = (name: string, value: string): boolean =>
  isSecretName(name, value) || (verdictOn(name) === 'parameter' && looksRandom(value));
