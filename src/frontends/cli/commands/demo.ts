// `openchrome demo`: runs the demo program that is installed next to the server.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { requireNoWords } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = (words, _context, command) => {
  requireNoWords(command, words);
  // The bundler writes this command to dist/chunks/.
  const program = fileURLToPath(new URL('../demo.js', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
};
