// `openchrome setup --extension`: prints how to load the extension, and pairs it.
import { dirname, join } from 'node:path';
import { fail } from '../../../core/failure.ts';
import { Deadline } from '../../../core/time.ts';
import { offerPairing } from '../../../features/setup/pair-extension.ts';
import type { CliContext } from '../program.ts';
import { runInterruptibly } from '../terminal.ts';

/** How long the user may take to load the extension and to confirm. */
const PAIRING_MS = 10 * 60_000;

const pairingTimeout = () =>
  fail('timeout', 'The pairing was not confirmed in Chrome within 10 minutes.', {
    hint: 'Run "openchrome setup --extension" again.',
  });

export const pairExtension = async (
  { terminal, wiring }: Pick<CliContext, 'terminal' | 'wiring'>,
  { json }: { readonly json: boolean },
): Promise<number> => {
  const folder = join(dirname(process.argv[1] ?? ''), 'extension');
  const offer = await offerPairing(wiring.home.pairing);
  const { url, digits, port } = offer;
  const digitText = `${digits.slice(0, 3)} ${digits.slice(3)}`;
  const steps = [
    '1. Open chrome://extensions in your Chrome and switch on "Developer mode".',
    '2. Press "Load unpacked" and choose this folder:',
    `     ${folder}`,
    '3. Open this address in the same Chrome. It works once:',
    `     ${url}`,
    `4. Press Confirm if the page shows these digits: ${terminal.paint('bold', digitText)}`,
    '',
    'Waiting for Chrome. Press Ctrl-C to cancel.',
  ];
  terminal.out(json ? JSON.stringify({ folder, url, digits, port }) : steps.join('\n'));
  try {
    await runInterruptibly(async (signal) => {
      using deadline = new Deadline(PAIRING_MS, pairingTimeout, signal);
      await offer.finish(deadline.signal);
    });
  } finally {
    await offer.close();
  }
  terminal.out(json ? JSON.stringify({ paired: true }) : PAIRED);
  return 0;
};

const PAIRED = 'Paired. Start the server with --attach extension to use this Chrome.';
