// `openchrome setup`: changes the configuration of hosts if confirmed, or pairs the extension.
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { listIf } from '../../../core/collections.ts';
import { fail } from '../../../core/failure.ts';
import { textIf } from '../../../core/text.ts';
import { Deadline } from '../../../core/time.ts';
import type { ServerCommand } from '../../../features/setup/host-entry.ts';
import {
  applyChange,
  buildServerCommand,
  listChangedLines,
  planSetup,
  type SetupChange,
} from '../../../features/setup/index.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { CliContext, RunCommand } from '../command.ts';
import { INTERRUPTED, runInterruptibly, type Terminal } from '../terminal.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const [mine, flags] = splitAt(words, '--');
  const { on, rest: hosts } = takeSwitches(command, mine);
  if (on.has('extension')) {
    requireNoWords(command, hosts);
    return pairExtension({ terminal, wiring }, { json: on.has('json') });
  }
  const machine = { platform: process.platform, homeDir: homedir(), env: process.env };
  const launch = buildServerCommand(process.argv[1] ?? '', [
    ...listIf(on.has('shared'), 'serve', '--shared'),
    ...flags,
  ]);
  const planned = await planSetup({ hosts, launch, remove: on.has('remove'), machine });
  const changes = planned.filter(({ before, after }) => before !== after);
  const asked = terminal.interactive && process.stdin.isTTY && !on.has('yes');
  if (!on.has('json')) show(planned, changes, terminal);
  const write =
    changes.length > 0 && (on.has('yes') || (asked && (await confirmed(changes.length))));
  if (write) for (const change of changes) await applyChange(change);
  const outcome = { planned, changes, written: write, removed: on.has('remove'), launch };
  if (on.has('json')) reportAsJson(outcome, terminal);
  else report(outcome, terminal);
  return 0;
};

const splitAt = (
  words: readonly string[],
  mark: string,
): [readonly string[], readonly string[]] => {
  const at = words.indexOf(mark);
  return at < 0 ? [words, []] : [words.slice(0, at), words.slice(at + 1)];
};

const COLOURS = { '+': 'green', '-': 'red', ' ': 'dim' } as const;

const NO_HOST = 'No host was found on this machine. Name one, as in "openchrome setup cursor".';

const show = (
  planned: readonly SetupChange[],
  changes: readonly SetupChange[],
  terminal: Terminal,
): void => {
  if (planned.length === 0) terminal.err(NO_HOST);
  for (const { name, file } of planned.filter((change) => !changes.includes(change)))
    terminal.out(`${name}: nothing to change in ${file}`);
  for (const change of changes) {
    const mark = textIf(change.before === '', ' (new)');
    terminal.out(`${terminal.paint('bold', change.name)}: ${change.file}${mark}`);
    for (const { sign, text } of listChangedLines(change))
      terminal.out(terminal.paint(COLOURS[sign], `  ${sign} ${text}`));
    terminal.out('');
  }
};

const confirmed = async (count: number): Promise<boolean> => {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      prompt.once('SIGINT', () => reject(INTERRUPTED));
      prompt.once('close', () => resolve('')); // Ctrl-D means no
      prompt
        .question(`Write ${count === 1 ? 'this change' : `these ${count} changes`}? [y/N] `)
        .then(resolve, () => resolve(''));
    });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
};

interface SetupReport {
  readonly planned: readonly SetupChange[];
  readonly changes: readonly SetupChange[];
  readonly written: boolean;
  readonly removed: boolean;
  readonly launch: ServerCommand;
}

const NOT_WRITTEN = 'Nothing was written: pass --yes to write it.';

/** The planned changes and whether they were written. */
const reportAsJson = (
  { planned, changes, written, launch }: SetupReport,
  terminal: Terminal,
): void => {
  // Without the file contents: they contain other settings of the user.
  const hosts = planned.map(({ host, file, before, after }) => ({
    host,
    file,
    changed: before !== after,
  }));
  const pending = !written && changes.length > 0 ? NOT_WRITTEN : undefined;
  const hint = planned.length === 0 ? NO_HOST : pending; // JSON omits undefined
  terminal.out(JSON.stringify({ written, entry: { openchrome: launch }, hosts, hint }));
};

const report = ({ changes, written, removed }: SetupReport, terminal: Terminal): void => {
  if (written)
    for (const { name, afterwards } of changes)
      terminal.out(removed ? `${name}: removed.` : `${name}: written. ${afterwards}`);
  else if (changes.length > 0) terminal.out(NOT_WRITTEN);
};

/** How long the user may take to load the extension and to confirm. */
const PAIRING_MS = 10 * 60_000;

const pairingTimeout = () =>
  fail('timeout', 'The pairing was not confirmed in Chrome within 10 minutes.', {
    hint: 'Run "openchrome setup --extension" again.',
  });

/** Prints how to load the extension, and pairs it. */
const pairExtension = async (
  { terminal, wiring }: Pick<CliContext, 'terminal' | 'wiring'>,
  { json }: { readonly json: boolean },
): Promise<number> => {
  const folder = join(dirname(process.argv[1] ?? ''), 'extension');
  // Only the pairing needs the server of the link to the extension.
  const { offerPairing } = await import('../../../features/setup/pair-extension.ts');
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
