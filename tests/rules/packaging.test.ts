// What the package says of itself elsewhere agrees with package.json, and the container keeps its
// promises.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG_FIELDS, formatFlag } from '../../src/core/config.ts';
import { ROOT } from './sources.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };

describe('server.json', () => {
  it('names this package at this version', () => {
    const server = JSON.parse(read('server.json')) as {
      version: string;
      description: string;
      packages: { identifier: string; version: string }[];
    };
    expect(server.version).toBe(version);
    expect(server.packages).toMatchObject([{ identifier: name, version }]);
    expect(server.description.length).toBeLessThanOrEqual(100); // the registry takes no more
  });
});

describe('the Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  it('runs as a user without rights, with the sandbox on', () => {
    expect(dockerfile).toMatch(/\nUSER openchrome\n/);
    expect(dockerfile).not.toContain('no-sandbox"');
    expect(JSON.parse(read('docker-seccomp.json'))).toMatchObject({
      syscalls: [{ action: 'SCMP_ACT_ERRNO' }],
    });
  });

  it('starts the server with flags that there are', () => {
    const [, words = '[]'] = /\nCMD (\[.*\])/.exec(dockerfile) ?? [];
    const flags = (JSON.parse(words) as string[]).filter((word) => word.startsWith('--'));
    const known = (Object.keys(CONFIG_FIELDS) as (keyof typeof CONFIG_FIELDS)[]).map(formatFlag);
    expect(flags.length).toBeGreaterThan(0);
    for (const flag of flags) expect(known).toContain(flag);
  });
});
