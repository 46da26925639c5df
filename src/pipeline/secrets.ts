// Restricts ${SECRET:NAME} and ${TOTP:NAME} to named fields on pages of the secret's hosts.
import { fail, type Failure } from '../core/failure.ts';
import {
  computeTotpCode,
  computeTotpDelayMs,
  matchesSecretHost,
  type TotpKey,
} from '../core/secret-definition.ts';
import { SECRET_REFERENCE } from '../core/secret-references.ts';
import { sleep } from '../core/time.ts';
import { canParseUrl } from '../core/text.ts';
import type { Session } from '../browser/tabs/session.ts';
import { runOwnCommand, type Secret } from '../store/config/secrets-file.ts';
import type { SecretPlace } from '../toolkit/context.ts';
import type { ToolOutput } from '../toolkit/tool-call.ts';
import type { PermittedCall, SessionCall, Step } from './call.ts';

/** Also matches the form that URL parsing produces in a path. */
const ANY_REFERENCE = /\$(?:\{|%7B)(?:SECRET|TOTP):/i;

/**
 * The tool replaces the references when it fills the field. A reference in any other argument is
 * rejected here.
 */
export const secrets: Step<PermittedCall, PermittedCall, ToolOutput> = async (call, next) => {
  const { traits } = call.tool;
  const takers: readonly string[] = traits.takesSecrets ?? [];
  const laterCalls: readonly string[] = traits.scripts ?? [];
  for (const [name, value] of Object.entries(call.toolCall.input)) {
    if (takers.includes(name)) requireKnownSecrets(call, value);
    else if (!laterCalls.includes(name) && hasReference(value))
      throw notAnArgumentForSecrets(call, name);
  }
  return next(call);
};

const hasReference = (value: unknown): boolean => ANY_REFERENCE.test(JSON.stringify(value) ?? '');

const requireKnownSecrets = (call: SessionCall, value: unknown): void => {
  for (const [, kind = '', name = ''] of (JSON.stringify(value) ?? '').matchAll(SECRET_REFERENCE))
    requireSecrets(call, kind, name);
};

/** `kind` is SECRET or TOTP: the key of one-time codes is never filled in itself. */
const requireSecrets = (
  { services }: SessionCall,
  kind: string,
  name: string,
): readonly Secret[] => {
  const found = services.secrets.filter((secret) => secret.name === name);
  const fitting = found.filter(({ totp }) => (totp !== undefined) === (kind === 'TOTP'));
  if (fitting.length > 0) return fitting;
  if (found.length > 0)
    throw fail('invalid_argument', `The secret "${name}" cannot be filled in as ${kind}.`, {
      hint: `Use \${${kind === 'TOTP' ? 'SECRET' : 'TOTP'}:${name}}.`,
    });
  const names = [...new Set(services.secrets.map((secret) => secret.name))];
  throw fail('invalid_argument', `Unknown secret "${name.slice(0, 100)}".`, {
    available: names,
    hint:
      names.length > 0
        ? 'Use one of the available names.'
        : 'Start the server with --secrets FILE (a dotenv file).',
  });
};

const notAnArgumentForSecrets = ({ request }: SessionCall, argument: string): Failure =>
  fail('secret_not_allowed_here', `${request.name} does not accept secrets in "${argument}".`, {
    argument,
  });

/** Returns the text with its secrets filled in; throws if one of them is not allowed here. */
export const fillSecrets = async (
  call: SessionCall,
  text: string,
  place: SecretPlace | undefined,
): Promise<string> => {
  const values = new Map<string, string>();
  for (const [reference, kind = '', name = ''] of text.matchAll(SECRET_REFERENCE)) {
    if (!values.has(reference)) values.set(reference, await requireValue(call, kind, name, place));
  }
  return text.replace(SECRET_REFERENCE, (reference) => values.get(reference) ?? '');
};

const requireValue = async (
  call: SessionCall,
  kind: string,
  name: string,
  place: SecretPlace | undefined,
): Promise<string> => {
  const candidates = requireSecrets(call, kind, name);
  if (!place)
    throw fail(
      'secret_not_allowed_here',
      `The secret "${name}" can only be filled into a named field.`,
      {
        hint: 'Use [[fill]] with a ref, or [[form]].',
      },
    );
  for (const secret of candidates)
    if (await isFor(call, secret, place)) return obtainValue(call, secret);
  throw notForPlace(candidates, place);
};

const obtainValue = async (call: SessionCall, secret: Secret): Promise<string> => {
  if (secret.command) return runForSecret(call, secret, secret.command);
  return secret.totp ? waitForCode(call, secret.totp) : secret.value;
};

/** The values that commands returned, as long as the session lives. */
const commandValues = new WeakMap<Session, Map<Secret, Promise<string>>>();

const runForSecret = async (
  { services, session, deadline }: SessionCall,
  secret: Secret,
  command: readonly string[],
): Promise<string> => {
  const known = commandValues.get(session) ?? new Map<Secret, Promise<string>>();
  commandValues.set(session, known);
  const running = known.get(secret) ?? runOwnCommand(command, deadline.signal);
  known.set(secret, running);
  try {
    const value = await running;
    if (value === '') throw new Error('the program printed nothing');
    services.redactor.addSecret(value);
    return value;
  } catch (error) {
    known.delete(secret);
    deadline.signal.throwIfAborted();
    // Neither the command nor its output may be in the failure: both can contain the secret.
    const why = error instanceof Error ? error.message : 'the program failed';
    throw fail('secret_command_failed', `The secret "${secret.name}" is not available: ${why}.`);
  }
};

const waitForCode = async ({ services, deadline }: SessionCall, key: TotpKey): Promise<string> => {
  await sleep(computeTotpDelayMs(key, Date.now()), deadline.signal);
  const code = computeTotpCode(key, Date.now());
  services.redactor.addCode(code);
  return code;
};

/** Both the page and the field's frame must be on a host of the secret. */
const isFor = async (
  { services }: SessionCall,
  { name, hosts }: Secret,
  { top, frame }: SecretPlace,
): Promise<boolean> => {
  const allowed = hosts ?? (await services.secretHosts.confirmedFor(name));
  return [top, frame].every((address) => allowed.some((host) => matchesSecretHost(host, address)));
};

const notForPlace = (candidates: readonly Secret[], { top, frame }: SecretPlace): Failure => {
  const name = candidates[0]?.name ?? '';
  const places = [...new Set([top, frame].map(hostIn))];
  const bound = candidates.flatMap(({ hosts = [] }) => hosts);
  const commands = places.map((host) => `openchrome secrets allow ${name} ${host}`);
  const hint =
    bound.length > 0
      ? `It can only be filled into pages of ${bound.join(', ')}.`
      : `The user must confirm this once: ${commands.join(' && ')}`;
  return fail(
    'secret_not_allowed_here',
    `The secret "${name}" is not allowed on ${places.join(' in ')}.`,
    { hint },
  );
};

const hostIn = (address: string): string =>
  (canParseUrl(address) ? new URL(address).host : '') || 'a page without a host';
