// Browsers that never answer, answer nonsense, or end at once. The call fails by its deadline, with
// the reason, and nothing is left.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noneLeft, useServers } from './servers.ts';

const servers = useServers();

const BROWSERS: Readonly<
  Record<string, { readonly script: string; readonly codes: readonly string[] }>
> = {
  'never answers': { script: 'exec sleep 1000', codes: ['timeout'] },
  'answers nonsense': {
    script: 'head -c 100000 /dev/urandom >&4; exec sleep 1000',
    codes: ['timeout', 'chrome_launch_failed', 'chrome_disconnected'],
  },
  'answers without an end': {
    script: 'yes >&4',
    codes: ['timeout', 'chrome_launch_failed', 'chrome_disconnected'],
  },
  'ends at once': { script: 'echo no display >&2; exit 1', codes: ['chrome_launch_failed'] },
  'does not listen to signals': {
    script: "trap '' TERM INT HUP; sleep 1000 & wait; wait",
    codes: ['timeout'],
  },
};

describe('a browser that', () => {
  test.each(Object.entries(BROWSERS))('%s', { timeout: 90_000 }, async (_, { script, codes }) => {
    const home = await servers.home();
    await mkdir(home, { recursive: true });
    const fake = join(home, 'fake-chrome');
    await writeFile(fake, `#!/bin/sh\n${script}\n`);
    await chmod(fake, 0o755);
    const server = await servers.start(home, { flags: ['--chrome-path', fake] });
    for (const timeout of [1500, 1000]) {
      const { code, ms } = await server.call('navigate', {
        url: 'http://127.0.0.1:1/',
        timeout_ms: timeout,
      });
      expect(codes).toContain(code);
      expect(ms).toBeLessThan(timeout + 5000);
    }
    // what needs no browser goes on
    expect(await server.call('oc_connection_health')).toMatchObject({ kind: 'ok' });
    expect((await server.cost()).mib).toBeLessThan(300);
    await server.stop();
    expect(await noneLeft(home)).toBe(true);
  });
});
