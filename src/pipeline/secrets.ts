// Fills in secrets that a call names as ${SECRET:NAME}: from here on the tool has them, and everything that leaves hides them.
import { fail } from '../core/failure.ts';
import { type Call, known, type Step } from './call.ts';

const NAMED = /\$\{SECRET:([^}]{1,200})\}/g;

export const secrets: Step = async (call, next) => {
  const { scripts = [] } = known(call, 'tool').traits;
  const input: Record<string, unknown> = { ...known(call, 'input') };
  // A secret may hold what a script would take for its own words: there the tool fills it in, after reading the script.
  for (const name of Object.keys(input)) if (!(scripts as readonly string[]).includes(name)) input[name] = fillIn(call, input[name]);
  call.input = input;
  await next();
};

const fillIn = (call: Call, value: unknown): unknown => {
  if (typeof value === 'string') return fillSecrets(call, value);
  if (Array.isArray(value)) return value.map((item) => fillIn(call, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillIn(call, member)]));
};

/** The text with every named secret in its place. */
export const fillSecrets = ({ rooms }: Call, text: string): string => {
  if (!text.includes('${SECRET:')) return text;
  return text.replace(NAMED, (_, name: string) => {
    const secret = rooms.secrets.get(name);
    if (secret === undefined) throw unknownSecret(name, [...rooms.secrets.keys()]);
    return secret;
  });
};

const unknownSecret = (name: string, names: readonly string[]): Error =>
  fail('invalid_argument', `There is no secret "${name.slice(0, 100)}".`, {
    available: names,
    hint: names.length > 0 ? 'Use one of the available names.' : 'Start the server with --secrets FILE (a dotenv file).',
  });
