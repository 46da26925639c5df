// `openchrome demo`, which the README shows first, from any folder (`npm test` builds it).
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('shows each of its steps, and every one succeeds', async () => {
  const home = await mkdtemp(join(tmpdir(), 'openchrome-demo-'));
  try {
    const env = { ...process.env, OPENCHROME_HOME: home };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(ROOT, 'dist/index.js'), 'demo'],
      {
        cwd: home,
        env,
      },
    );
    expect(stdout).toContain('the site received {"book":5,"name":"Ada"');
    expect(stdout).toMatch(/Everything went as it should, in \d+\.\d s\.\n$/);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
});
