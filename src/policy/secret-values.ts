// Hides secrets in text by their format or by the name before them, with bounded patterns.
import { attempt } from '../core/attempt.ts';
import { isSecretName, isSecretParameter } from './secret-names.ts';
import { isBlob } from './walk.ts';

export const HIDDEN = '[redacted]';

/**
 * Keys with a unique format. The border before and after prevents matches inside base64 and longer
 * names.
 */
const KEY_FORMS = [
  'gh[pousr]_[A-Za-z0-9]{36,255}',
  'github_pat_[A-Za-z0-9_]{22,255}',
  'glpat-[A-Za-z0-9_-]{20,64}',
  '(?:AKIA|ASIA)[0-9A-Z]{16}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,250}',
  'xapp-\\d-[A-Za-z0-9-]{10,250}',
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}',
  'whsec_[A-Za-z0-9+/=]{24,100}',
  'sk-(?:proj-|ant-|or-|svcacct-)[A-Za-z0-9_-]{20,250}',
  'sk-[A-Za-z0-9]{32,64}',
  'AIza[0-9A-Za-z_-]{35}',
  'ya29\\.[0-9A-Za-z_-]{20,500}',
  'GOCSPX-[A-Za-z0-9_-]{20,40}',
  'npm_[A-Za-z0-9]{36}',
  'pypi-[A-Za-z0-9_-]{50,500}',
  'hf_[A-Za-z0-9]{30,50}',
  'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}',
  'shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}',
  'do[opr]_v1_[a-f0-9]{64}',
  'eyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{0,2000}', // JWT
  // JWE
  'eyJ[A-Za-z0-9_-]{16,4000}\\.\\.?[A-Za-z0-9_-]{0,2000}\\.[A-Za-z0-9_-]{8,2000}' +
    '\\.[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{8,200}',
];
const KEYS = new RegExp(`(?<![A-Za-z0-9_+/-])(?:${KEY_FORMS.join('|')})(?![A-Za-z0-9_+/-])`, 'g');
const SLACK_HOOK = /(hooks\.slack\.com\/services\/)[A-Za-z0-9/]{20,100}/g;
const PRIVATE_KEY =
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?!-----END)[A-Za-z0-9+/=\s\\:,.-]){1,10000}/g;

/** A word with digits after "Bearer"; "bearer certificates" does not match. */
const BEARER = /\b(bearer\s{1,4})(?=[A-Za-z._~+/-]{0,200}\d)[A-Za-z0-9\-._~+/]{8,4096}={0,2}/gi;
const BASIC = /\b(basic\s{1,4})([A-Za-z0-9+/]{6,4096}={0,2})(?![A-Za-z0-9+/=])/gi;

/** A quote, also an escaped one. */
const QUOTE = String.raw`\\{0,3}["']?`;
/** The scheme of credentials, and the credentials. */
const SCHEME = [
  '(?:bearer|basic|digest|token|apikey|negotiate|hawk|ntlm|aws4-hmac-sha256)',
  String.raw`\s{1,4}[^\s"'\\][^\r\n"'\\]{3,4096}`,
].join('');
const AUTHORIZATION = new RegExp(
  [
    String.raw`\b((?:proxy-)?authorization${QUOTE}\s{0,8}[:=]\s{0,8}${QUOTE})`,
    String.raw`(${SCHEME}|(?=[^\s"'\\]{0,200}\d)[^\s"'\\]{16,4096})`,
  ].join(''),
  'gi',
);
const COOKIE = new RegExp(
  [
    String.raw`\b((?:set-)?cookie${QUOTE}\s{0,8}:\s{0,8}${QUOTE})`,
    String.raw`([\w!#$%&*+.^|~-]{1,256}=[^\r\n"'\\]{1,8192})`,
  ].join(''),
  'gi',
);

const PASSWORD_WORDS = 'pass(?:word|wd|phrase|code|wort)|pwd|secret|token|api[-_]?key';
const SESSION_ID = 'sess(?:ion)?[-_]?id';
const SECRET_WORD =
  `(?:${PASSWORD_WORDS}|(?:access|private|auth)[-_]?key|authorization|cookie|otp|cvv|cvc|` +
  `${SESSION_ID})`;
/**
 * Words that make a secret likely only at the end of a name: `keyboard` and `author` begin with two
 * of them.
 */
const LAST_WORD = '(?:key|session|auth|nonce|csrf|xsrf|signature)(?:[-_]?\\d{1,4})?';
/** `"password": "…"`, in JSON and in code. */
const MEMBER_NAME = String.raw`([\w.-]{0,40}(?:${SECRET_WORD}[\w.-]{0,20}|${LAST_WORD}))`;
const QUOTED_MEMBER = new RegExp(
  [
    String.raw`(["'])${MEMBER_NAME}\1(\s{0,8}:\s{0,8})`,
    String.raw`(["'])((?:[^"'\\\r\n]|\\.|(?!\4)["']){1,100000})`,
  ].join(''),
  'gi',
);
/** The same in JSON inside a JSON string. */
const ESCAPED_MEMBER = new RegExp(
  [
    String.raw`(\\{1,3}["'])${MEMBER_NAME}\1(\s{0,8}:\s{0,8})`,
    String.raw`(\\{1,3}["'])([^"'\\\r\n]{1,100000})`,
  ].join(''),
  'gi',
);
/** `password: '…'` and `token = "…"` in scripts, console output and attributes. */
const PLAIN_NAME_END = `(?:${SECRET_WORD}[\\w-]{0,20}|${LAST_WORD})`;
const PLAIN_MIDDLE = '\\s{0,8}[:=]\\s{0,8}["\'`]';
const PLAIN_MEMBER = new RegExp(
  [
    `(?<![\\w"'$.-])([\\w$.-]{0,40}${PLAIN_NAME_END})`,
    `(${PLAIN_MIDDLE})([^\\s"'\`\\\\]{6,4096})`,
  ].join(''),
  'gi',
);
/**
 * Matches the part of PLAIN_MEMBER from the secret word to the quote. It searches for the quote
 * first: PLAIN_MEMBER tries 40 lengths of a name at each word, which takes ten times as long.
 */
const PLAIN_PART = new RegExp(`["'\`](?<=${PLAIN_NAME_END}${PLAIN_MIDDLE})`, 'i');
/** `password=…` in forms, settings and URLs. */
const ASSIGNED_NAME_END = `(?:${SECRET_WORD}[\\w.%[\\]-]{0,20}|${LAST_WORD}(?:%5D|\\])?)`;
const ASSIGNED = new RegExp(
  [
    `(^|[?&#;\\s"'\`(,{])([\\w.%[\\]-]{0,40}${ASSIGNED_NAME_END})`,
    '=([^\\s&#"\'`<>;,)}\\\\]{1,4096})',
  ].join(''),
  'gim',
);
/** Matches the part of ASSIGNED from the secret word to the sign; see PLAIN_PART. */
const ASSIGNED_PART = new RegExp(`=(?<=${ASSIGNED_NAME_END}=)`, 'i');
/**
 * A field of a multipart form: the name on one line, the value after an empty line. In JSON the
 * line ends are escaped.
 */
const FORM_FIELD =
  /(\bname=\\{0,3}"([\w.[\]-]{1,100})\\{0,3}"(?:\r\n|\\{1,3}r\\{1,3}n){2})([^\r\n\\]{1,4096})/g;
const PARAMETER = /([?&#]|&amp;)([\w.-]{1,64})=([^\s&#"'`<>;,)}\\]{16,4096})/g;
const USER_INFO =
  /(\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s/?#:@"'<>]{0,256}:)([^\s/?#@"'<>]{1,256})(?=@)/gi;
/** A header on a line or in a command: `X-Functions-Key: …`. */
const LAST_HEADER_WORD = '(?:key|token|secret|session|auth|nonce|signature)(?:-\\d{1,4})?';
const HEADER_LINE = new RegExp(
  [
    `(^|[\\s"'\`])((?:[a-z][a-z\\d]{0,30}-){1,5}${LAST_HEADER_WORD})`,
    '(:\\s{0,4})([^\\s"\'`\\\\]{8,4096})',
  ].join(''),
  'gim',
);
const HEADER_END = new RegExp(`-${LAST_HEADER_WORD}:`, 'i');
/** HTML form fields and meta tags; their name decides. */
const NAMED_TAG = /<(?:input|meta)\b[^<>]{0,4000}>/gi;
const NAME_ATTRIBUTE = /\bname\s{0,4}=\s{0,4}["']?([\w.[\]-]{1,100})/i;
const TAG_VALUE =
  /(\b(?:value|content)\s{0,4}=\s{0,4})(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'>]{1,2000}))/i;
const PASSWORD_INPUT =
  /<input\b(?=[^<>]{0,2000}\btype\s{0,4}=\s{0,4}["']?password\b)[^<>]{0,4000}>/gi;
const VALUE_ATTRIBUTE = /(\bvalue\s{0,4}=\s{0,4})("[^"]{1,2000}"|'[^']{1,2000}'|[^\s"'>]{1,2000})/i;

/** A quick test that most texts fail. */
const TRIGGER = new RegExp(
  [
    ...['eyJ', 'gh[pousr]_', 'github_pat_', 'glpat-', 'AKIA', 'ASIA', 'xox[abeoprs]-', 'xapp-'],
    ...['hooks\\.slack', 'sk_', 'rk_', 'whsec_', 'sk-', 'AIza', 'ya29\\.', 'GOCSPX-', 'npm_'],
    ...['pypi-', 'hf_', 'SG\\.', 'shp[asc]', 'do[opr]_v1_', '-----BEGIN', 'bearer', 'basic\\s'],
    ...['authorization', 'cookie', PASSWORD_WORDS, 'access[-_]?key', 'private[-_]?key'],
    ...['auth[-_]?key', 'otp=', 'cvv', 'cvc', SESSION_ID, '://[^\\s/]{1,300}@'],
    '[?&#;](?:key|code|sig|signature|auth|sid|state|hash|session|ticket|assertion|x-amz-|x-goog-)',
    ...['nonce', 'csrf', 'xsrf', 'signature'],
    String.raw`(?:key|session|auth)\\{0,3}(?:["'\]]|%5D|\s{0,8}[:=])`,
  ].join('|'),
  'i',
);
const SHORTEST = 8;

/** Hides everything that looks like a secret; returns the same string if there is nothing. */
export const hideSecrets = (text: string): string => {
  if (text.length < SHORTEST || !TRIGGER.test(text)) return text;
  return text.length > REMEMBERED_CHARS ? applyRules(text) : applyRulesOnce(text);
};

const applyRules = (text: string): string => RULES.reduce((out, apply) => apply(out), text);

/** Addresses and header values repeat in many requests and in both listings of a request. */
const REMEMBERED_CHARS = 500;
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, string>();

const applyRulesOnce = (text: string): string => {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const hidden = applyRules(text);
  remembered.set(text, hidden);
  return hidden;
};

/** A value may contain members in the other kind of quotes, so it is searched too. */
const hideQuotedMembers = (text: string): string =>
  text.replace(
    QUOTED_MEMBER,
    (all, quote: string, name: string, colon: string, open: string, value: string) => {
      const shown = hideMember(all, quote, name, colon, open, value);
      return shown === all && /["']/.test(value)
        ? all.slice(0, -value.length) + hideQuotedMembers(value)
        : shown;
    },
  );

const RULES: readonly ((text: string) => string)[] = [
  (text) => text.replace(KEYS, HIDDEN),
  (text) => text.replace(SLACK_HOOK, `$1${HIDDEN}`),
  (text) => (text.includes('-----BEGIN') ? text.replace(PRIVATE_KEY, `$1${HIDDEN}`) : text),
  (text) => text.replace(AUTHORIZATION, `$1${HIDDEN}`),
  (text) => text.replace(BEARER, `$1${HIDDEN}`),
  (text) =>
    text.replace(BASIC, (all, scheme: string, value: string) =>
      isUserAndPassword(value) ? `${scheme}${HIDDEN}` : all,
    ),
  (text) => text.replace(COOKIE, `$1${HIDDEN}`),
  hideQuotedMembers,
  (text) => text.replace(ESCAPED_MEMBER, hideMember),
  (text) => (PLAIN_PART.test(text) ? text.replace(PLAIN_MEMBER, hidePlainMember) : text),
  (text) => (ASSIGNED_PART.test(text) ? text.replace(ASSIGNED, hideAssigned) : text),
  (text) => text.replace(PARAMETER, hideAssigned),
  (text) =>
    text.replace(FORM_FIELD, (all, head: string, name: string, value: string) =>
      isSecretName(name, value) ? `${head}${HIDDEN}` : all,
    ),
  (text) => (text.includes('@') ? text.replace(USER_INFO, `$1${HIDDEN}`) : text),
  (text) => (HEADER_END.test(text) ? text.replace(HEADER_LINE, hideHeader) : text),
  (text) => text.replace(NAMED_TAG, hideTagValue),
  (text) => text.replace(PASSWORD_INPUT, (tag) => tag.replace(VALUE_ATTRIBUTE, `$1"${HIDDEN}"`)),
];

const hideMember = (
  all: string,
  quote: string,
  name: string,
  colon: string,
  open: string,
  value: string,
): string =>
  isSecretName(name, value) && value !== HIDDEN
    ? `${quote}${name}${quote}${colon}${open}${HIDDEN}`
    : all;

const hidePlainMember = (all: string, name: string, middle: string, value: string): string =>
  value !== HIDDEN && isSecretName(name, value) ? `${name}${middle}${HIDDEN}` : all;

const hideHeader = (
  all: string,
  before: string,
  name: string,
  colon: string,
  value: string,
): string =>
  /\d/.test(value) && value !== HIDDEN && isSecretName(name, value)
    ? `${before}${name}${colon}${HIDDEN}`
    : all;

const hideTagValue = (tag: string): string => {
  const name = NAME_ATTRIBUTE.exec(tag)?.[1];
  if (name === undefined) return tag;
  return tag.replace(
    TAG_VALUE,
    (all, head: string, double?: string, single?: string, bare?: string) => {
      const value = double ?? single ?? bare ?? '';
      return value !== HIDDEN && isSecretName(name, value) ? `${head}"${HIDDEN}"` : all;
    },
  );
};

const hideAssigned = (all: string, before: string, name: string, value: string): string =>
  value !== HIDDEN && isSecretParameter(decoded(name), value) ? `${before}${name}=${HIDDEN}` : all;

const decoded = (name: string): string => attempt(() => decodeURIComponent(name), name);

/**
 * "Basic authentication" is not a credential, which is the encoding of a name, a colon and a
 * password.
 */
const isUserAndPassword = (value: string): boolean => {
  const plain = Buffer.from(value, 'base64').toString('latin1');
  return plain.includes(':') && /^[\x20-\x7e]*$/.test(plain);
};

/** In base64 only known secrets are hidden, because it can match any pattern by chance. */
export const redactText = (text: string, hideKnown: (text: string) => string): string =>
  isBlob(text) ? hideKnown(text) : hideSecrets(hideKnown(text));
