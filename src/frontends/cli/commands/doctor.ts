// `openchrome doctor`: every check of the machine, as lines for people or as JSON.
import { renderFindings } from '../doctor.ts';
import { interruptible } from '../interruptible.ts';
import { takeSwitches } from '../own-words.ts';
import type { Run } from '../program.ts';

export const run: Run = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const config = await wiring.loadConfig(rest);
  const findings = await interruptible((signal) => wiring.runDoctor(config, signal));
  terminal.out(on.has('json') ? JSON.stringify(findings) : renderFindings(findings, terminal));
  return findings.some(({ status }) => status === 'fail') ? 1 : 0;
};
