// Tests of flags before the command: which word is the command, and where the flags go.
import { expect, it } from 'vitest';
import { hasCommand, moveLeadingFlags } from './leading-flags.ts';

it.each<[line: string, isCommand: boolean]>([
  ['--json state', true],
  ['--headed open example.com', true],
  ['--tab t1 get url', true],
  ['--profile demo', false], // the value of the flag, although it is also a command
  ['--http 3000 --headless', false],
  ['--viewport 800x600 state', true],
  ['--no-sandbox doctor', true],
  ['--slim', false],
])('the words "%s" contain a command: %s', (line, isCommand) => {
  expect(hasCommand(line.split(' '))).toBe(isCommand);
});

it.each<[line: string, moved: string]>([
  ['--json get title', 'get title --json'],
  ['-s buyer tabs', 'tabs -s buyer'],
  ['--session buyer eval -- -1', 'eval --session buyer -- -1'],
  ['state --json', 'state --json'],
  ['--http 3000', '--http 3000'],
])('"%s" is the command "%s"', (line, moved) => {
  expect(moveLeadingFlags(line.split(' ')).join(' ')).toBe(moved);
});
