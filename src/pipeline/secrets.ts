// Fills in secrets that a call names as ${SECRET:NAME}: from here on the tool has them, and everything that leaves hides them.
import { fail } from '../core/failure.ts';
import { type Call, known, type Step } from './call.ts';

const NAMED = /\$\{SECRET:([^}]{1,200})\}/g;
/** The same as the guard's parsing leaves it in the path of an address. */
const NAMED_IN_PATH = /\$%7BSECRET:([^%]{1,200})%7D/gi;

export const secrets: Step = async (call, next) => {
  const asked = known(call, 'input');
  if (call.request.task) refuseInTask(call);
  call.input = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, fillArgument(call, name, value)]));
  try {
    await next();
  } finally {
    call.input = asked; // what is rendered from the arguments is rendered from what was asked
  }
};

/** What a task keeps while it works lies on disk as it is, so that it can go on after a kill: a secret would lie there too. */
const refuseInTask = ({ request }: Call): void => {
  if (!JSON.stringify(request.arguments ?? {}).includes('${SECRET:')) return;
  throw fail('invalid_argument', `${request.name} takes no secrets as a task: what it keeps on disk would hold them.`, {
    argument: 'args',
    hint: `Call ${request.name} itself, or log in first with http_auth, cookies or a form.`,
  });
};

const fillArgument = (call: Call, name: string, value: unknown): unknown => {
  const { scripts = [], files = [], urls = [] } = known(call, 'tool').traits;
  const isOne = (names: readonly string[]): boolean => names.includes(name);
  // A secret may hold what a script would take for its own words: there the tool fills it in, after reading the script.
  if (isOne(scripts)) return value;
  if (isOne(files)) return refuseIn(name, value);
  return isOne(urls) && typeof value === 'string' ? fillAddress(call, value) : fillIn(call, value);
};

/** Paths were judged as they are written: what is filled in later could lead out of the allowed folders. */
const refuseIn = (name: string, value: unknown): unknown => {
  if (JSON.stringify(value).includes('${SECRET:')) throw fail('invalid_argument', `A path takes no secret: "${name}".`, { argument: name });
  return value;
};

/** In an address a secret is one part of a path or a query, whatever is in it. */
const fillAddress = (call: Call, address: string): string => {
  const fill = (_: string, name: string): string => encodeURIComponent(requireSecret(call, name));
  return address.replace(NAMED, fill).replace(NAMED_IN_PATH, fill);
};

const fillIn = (call: Call, value: unknown): unknown => {
  if (typeof value === 'string') return fillSecrets(call, value);
  if (Array.isArray(value)) return value.map((item) => fillIn(call, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillIn(call, member)]));
};

/** The text with every named secret in its place. */
export const fillSecrets = (call: Call, text: string): string => text.replace(NAMED, (_, name: string) => requireSecret(call, name));

const requireSecret = ({ rooms }: Call, name: string): string => {
  const secret = rooms.secrets.get(name);
  if (secret === undefined) throw unknownSecret(name, [...rooms.secrets.keys()]);
  return secret;
};

const unknownSecret = (name: string, names: readonly string[]): Error =>
  fail('invalid_argument', `There is no secret "${name.slice(0, 100)}".`, {
    available: names,
    hint: names.length > 0 ? 'Use one of the available names.' : 'Start the server with --secrets FILE (a dotenv file).',
  });
