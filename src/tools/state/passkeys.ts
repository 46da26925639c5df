// passkeys: turns the virtual authenticator of the session on and off, and lists its passkeys.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { getPasskeys, type Passkey } from '../../browser/state/passkeys.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/** Without the private key and the user handle. */
const describePasskey = ({ credentialId, rpId, userName, signCount }: Passkey): object =>
  defined({ id: credentialId, site: rpId, user: userName, sign_count: signCount });

export const passkeys = defineTool({
  name: 'passkeys',
  description:
    'Register and sign in with passkeys (WebAuthn) without a security key or a user: "on" gives ' +
    'all tabs of the session a virtual authenticator, which confirms every request of a page. ' +
    'Passkeys are saved with a login (storage, action "save") and restored with it; private keys ' +
    'are never shown. For codes of an authenticator app use ${TOTP:NAME} in fill_form.',
  returns: '{authenticator: "on" | "off", passkeys: [...]}',
  keywords:
    'passkey webauthn fido security key yubikey touch id fingerprint face two-factor 2fa mfa ' +
    'log in login sign passwordless authenticator',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'list' ? 'read' : 'act'),
    consent: () => ({ special: ['cookies'], pages: 'every' }),
    scope: 'browser',
    observation: ({ action }) => action === 'list',
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 10_000,
  },
  input: () => ({
    action: z
      .enum(['list', 'on', 'off', 'remove'])
      .default('list')
      .describe('off: keeps the passkeys until the session is closed'),
    id: z.string().min(1).max(2000).optional().describe('For remove: a passkey'),
  }),
  prepare: (given) => {
    if ((given.action === 'remove') !== (given.id !== undefined))
      throw fail('invalid_argument', 'passkeys: "id" is needed for remove, and only for it.', {
        argument: 'id',
      });
    return given;
  },
  examples: [{ action: 'on' }, {}],
  run: async ({ action, id = '' }, { session }) => {
    const authenticator = getPasskeys(session);
    if (action === 'on') await authenticator.turnOn();
    if (action === 'off') await authenticator.turnOff();
    if (action === 'remove' && !(await authenticator.remove(id)))
      throw fail('invalid_argument', 'The session has no such passkey.', {
        argument: 'id',
        passkeys: authenticator.all.slice(0, 50).map(describePasskey),
      });
    return {
      authenticator: authenticator.isOn ? 'on' : 'off',
      passkeys: authenticator.all.map(describePasskey),
    };
  },
});
