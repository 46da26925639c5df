// Starts processes of a cluster in tests, and reads the lines that they print.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundleOnce } from '../bundled-programs.ts';

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
  const file = await bundleOnce('tests/cluster/member-process.ts');
  const started: MemberProcess[] = [];
  return {
    start: (...args) => {
      const member = startMember(file, args);
      started.push(member);
      return member;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(started.map((member) => member[Symbol.asyncDispose]()));
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
