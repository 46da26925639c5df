// Starts processes of a cluster in tests, and reads the lines that they print.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from '../../scripts/bundle.mjs';

export interface MemberProcess extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** Waits for a line that starts with these words, also an earlier one; returns the rest of it. */
  waitFor(words: string): Promise<string>;
  readonly exited: Promise<unknown>;
}

export interface MemberProcesses extends AsyncDisposable {
  start(mode: string, url: string, ...rest: readonly string[]): MemberProcess;
}

export const bundleMemberProcess = async (): Promise<MemberProcesses> => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-members-'));
  await bundle({
    entryPoints: ['tests/cluster/member-process.ts'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
  const started: MemberProcess[] = [];
  return {
    start: (...args) => {
      const member = startMember(join(folder, 'member-process.mjs'), args);
      started.push(member);
      return member;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map((member) => member[Symbol.asyncDispose]()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const startMember = (file: string, args: readonly string[]): MemberProcess => {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  return {
    process: child,
    lines,
    exited,
    waitFor: (words) =>
      new Promise((resolve) => {
        const look = (): void => {
          const line = lines.find((text) => text === words || text.startsWith(`${words} `));
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line.slice(words.length + 1));
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        child.kill('SIGCONT');
        await exited;
      }
    },
  };
};
