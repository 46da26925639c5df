// Tests of setup: our entry is added and removed, the rest of the file stays unchanged.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyChange, HOST_IDS, buildServerCommand, listChangedLines, planSetup } from './index.ts';
import { editJsonEntry, editTomlTable } from './host-entry.ts';

const LAUNCH = { command: 'npx', args: ['-y', 'openchrome'] };
let homeDir = '';
beforeEach(() => void (homeDir = mkdtempSync(join(tmpdir(), 'openchrome-setup-'))));
afterEach(() => rmSync(homeDir, { recursive: true, force: true }));
const request = (hosts: readonly string[], remove = false) => ({
  hosts,
  remove,
  launch: LAUNCH,
  machine: { platform: 'linux', homeDir, env: {} } as const,
});

describe('an entry in JSON', () => {
  it.each([
    ['an empty file', ''],
    ['an object', '{}\n'],
    ['other settings', '{\n  "theme": "dark",\n  "list": [1, 2]\n}\n'],
    [
      'comments and a trailing comma',
      '{\n  // mine\n  "mcpServers": {\n    "x": {\n      "command": "y"\n    }\n  },\n}\n',
    ],
    ['tabs', '{\n\t"a": 1\n}\n'],
    ['no line end', '{"a": 1}'],
  ])('is added to %s and removed again', (_, text) => {
    const added = editJsonEntry(text, 'mcpServers', LAUNCH);
    expect(added).toContain('"openchrome"');
    expect(editJsonEntry(added, 'mcpServers', LAUNCH)).toBe(added);
    for (const word of text.match(/\w+/g) ?? []) expect(added).toContain(word);
    const removed = editJsonEntry(added, 'mcpServers', undefined);
    expect(removed.replace(/\s/g, '')).toBe((text === '' ? '{}' : text).replace(/\s/g, ''));
  });

  it.each(['{}', '{"a": 1}', '{"mcpServers": {}}\n', '{"mcpServers": {"x": {}}}'])(
    'has nothing to go from in %s',
    (text) => expect(editJsonEntry(text, 'mcpServers', undefined)).toBe(text),
  );

  it.each(['[]', 'null', '{"a": ', '"text"', '{a}'])('is rejected if the file is %s', (text) =>
    expect(() => editJsonEntry(text, 'mcpServers', LAUNCH)).toThrow(/not JSON that can be edited/),
  );
});

describe('a table in TOML', () => {
  const text = 'model = "o4" # mine\n\n[mcp_servers.other]\ncommand = "x"\n\n[profiles.a]\nb = 1\n';

  it('is added at the end and removed with its content', () => {
    const added = editTomlTable(text, 'mcp_servers.openchrome', {
      command: 'npx',
      args: ['-y', 'a "b"'],
    });
    expect(added).toBe(
      `${text}\n[mcp_servers.openchrome]\ncommand = "npx"\nargs = ["-y", "a \\"b\\""]\n`,
    );
    const grown = added.replace(
      '[profiles.a]',
      '[mcp_servers.openchrome.env]\nA = "1"\n\n[profiles.a]',
    );
    expect(editTomlTable(grown, 'mcp_servers.openchrome', undefined)).toBe(text);
  });

  it('leaves every other line as it was', () => {
    expect(editTomlTable('a = 1\r\n\r\n', 'mcp_servers.openchrome', undefined)).toBe(
      'a = 1\r\n\r\n',
    );
    expect(editTomlTable('a = 1\r\n', 't', { command: 'x' })).toBe(
      'a = 1\r\n\r\n[t]\r\ncommand = "x"\r\n',
    );
  });

  it('is all that an empty file gets, and leaves it empty', () => {
    const added = editTomlTable('', 'mcp_servers.openchrome', { command: 'npx' });
    expect(added).toBe('[mcp_servers.openchrome]\ncommand = "npx"\n');
    expect(editTomlTable(added, 'mcp_servers.openchrome', undefined)).toBe('');
  });
});

describe('the set-up of hosts', () => {
  it.each(HOST_IDS)('of %s is planned, written, and undone', async (host) => {
    const [planned] = await planSetup(request([host]));
    if (!planned) throw new Error('nothing planned');
    expect(planned.file.startsWith(homeDir)).toBe(true);
    await applyChange(planned);
    expect(readFileSync(planned.file, 'utf8')).toContain('openchrome');
    expect(await planSetup(request([host]))).toMatchObject([
      { before: planned.after, after: planned.after },
    ]);
    const [undone] = await planSetup(request([host], true));
    if (undone) await applyChange(undone);
    expect(readFileSync(planned.file, 'utf8')).not.toContain('openchrome');
  });

  it('uses the installed hosts if none is named, and no hosts if none is installed', async () => {
    expect(await planSetup(request([]))).toEqual([]);
    mkdirSync(join(homeDir, '.cursor'));
    expect((await planSetup(request([]))).map(({ host }) => host)).toEqual(['cursor']);
  });

  it('writes through a link and keeps the permissions', async () => {
    const real = join(homeDir, 'dotfiles.json');
    writeFileSync(real, '{}');
    chmodSync(real, 0o640);
    const file = join(homeDir, '.cursor', 'mcp.json');
    mkdirSync(dirname(file));
    symlinkSync(real, file);
    for (const change of await planSetup(request(['cursor']))) await applyChange(change);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('openchrome');
    expect(statSync(real).mode & 0o777).toBe(0o640);
  });

  it('does not change a file that changed since it was shown', async () => {
    const [change] = await planSetup(request(['gemini']));
    if (!change) throw new Error('nothing planned');
    mkdirSync(dirname(change.file));
    writeFileSync(change.file, '{"other": 1}');
    await expect(applyChange(change)).rejects.toMatchObject({ code: 'storage_failed' });
    expect(readFileSync(change.file, 'utf8')).toBe('{"other": 1}');
  });

  it('names the file that cannot be edited, and the hosts that there are', async () => {
    writeFileSync(join(homeDir, '.claude.json'), '{broken');
    await expect(planSetup(request(['claude-code']))).rejects.toThrow(/\.claude\.json/);
    await expect(planSetup(request(['emacs']))).rejects.toMatchObject({
      details: { known: HOST_IDS },
    });
  });

  it('shows the added lines with the lines around them', async () => {
    mkdirSync(join(homeDir, '.codex'));
    writeFileSync(join(homeDir, '.codex', 'config.toml'), 'model = "o4"\n');
    const [change] = await planSetup(request(['codex']));
    expect(change && listChangedLines(change).map(({ sign, text }) => `${sign}${text}`)).toEqual([
      ' model = "o4"',
      '+',
      '+[mcp_servers.openchrome]',
      '+command = "npx"',
      '+args = ["-y", "openchrome"]',
    ]);
  });
});

describe('the command of a host', () => {
  it('is the package if it was installed as one, otherwise this file', () => {
    expect(
      buildServerCommand('/usr/lib/node_modules/openchrome/dist/index.js', ['--slim']),
    ).toEqual({
      command: 'npx',
      args: ['-y', 'openchrome', '--slim'],
    });
    expect(buildServerCommand('/src/openchrome/dist/index.js', [])).toEqual({
      command: process.execPath,
      args: ['/src/openchrome/dist/index.js'],
    });
  });
});
