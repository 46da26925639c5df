// Restricts ${SECRET:NAME} to named fields on pages of the secret's hosts.
import { fail, type Failure } from '../core/failure.ts';
import { matchesSecretHost } from '../core/secret-host.ts';
import type { Secret } from '../store/config/secrets-file.ts';
import type { SecretPlace } from '../toolkit/context.ts';
import type { ToolOutput } from '../toolkit/tool-call.ts';
import type { SessionCall, Step } from './call.ts';

const REFERENCE = /\$\{SECRET:([^}]{1,200})\}/g;
/** Also matches the form that URL parsing produces in a path. */
const ANY_REFERENCE = /\$(?:\{|%7B)SECRET:/i;

/**
 * The tool replaces the references when it fills the field. A reference in any other argument is
 * rejected here.
 */
export const secrets: Step<SessionCall, SessionCall, ToolOutput> = async (call, next) => {
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
  for (const [, name = ''] of (JSON.stringify(value) ?? '').matchAll(REFERENCE))
    requireSecrets(call, name);
};

const requireSecrets = ({ rooms }: SessionCall, name: string): readonly Secret[] => {
  const found = rooms.secrets.filter((secret) => secret.name === name);
  if (found.length > 0) return found;
  const names = [...new Set(rooms.secrets.map((secret) => secret.name))];
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
  for (const [, name = ''] of text.matchAll(REFERENCE)) {
    if (!values.has(name)) values.set(name, await requireValue(call, name, place));
  }
  return text.replace(REFERENCE, (_, name: string) => values.get(name) ?? '');
};

const requireValue = async (
  call: SessionCall,
  name: string,
  place: SecretPlace | undefined,
): Promise<string> => {
  const candidates = requireSecrets(call, name);
  if (!place)
    throw fail(
      'secret_not_allowed_here',
      `The secret "${name}" can only be filled into a named field.`,
      {
        hint: 'Use interact {action: "fill"} with a ref, or fill_form.',
      },
    );
  for (const secret of candidates) if (await isFor(call, secret, place)) return secret.value;
  throw notForPlace(candidates, place);
};

/** Both the page and the field's frame must be on a host of the secret. */
const isFor = async (
  { rooms }: SessionCall,
  { name, hosts }: Secret,
  { top, frame }: SecretPlace,
): Promise<boolean> => {
  const allowed = hosts ?? (await rooms.secretHosts.confirmedFor(name));
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
  (URL.canParse(address) ? new URL(address).host : '') || 'a page without a host';
