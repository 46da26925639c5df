// The policy comes only from a private openchrome.json of the owner's home folder.
import { chmod, mkdtemp, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfig, resolveSettings } from '../../src/core/config.ts';
import { readConfigFiles } from '../../src/store/config/config-file.ts';

const RULE = { decision: 'deny', effect: 'script' };

const makeFolders = async (
  home: object | undefined,
  project?: object,
): Promise<{ readonly home: string; readonly workingFolder: string }> => {
  const [homeFolder, workingFolder] = await Promise.all(
    ['home', 'work'].map((name) => mkdtemp(join(tmpdir(), `openchrome-${name}-`))),
  );
  const folders = { home: homeFolder ?? '', workingFolder: workingFolder ?? '' };
  const write = (folder: string, content: object): Promise<void> =>
    writeFile(join(folder, 'openchrome.json'), JSON.stringify(content), { mode: 0o600 });
  if (home) await write(folders.home, home);
  if (project) await write(folders.workingFolder, project);
  return folders;
};

it('the home file sets the rules', async () => {
  const files = await readConfigFiles(await makeFolders({ policy: [RULE] }));
  expect(resolveConfig(files).policy).toEqual([RULE]);
});

it.each([
  ['an unknown key', { policy: [{ ...RULE, domain: ['x'] }] }],
  ['an unknown effect', { policy: [{ decision: 'deny', effect: 'scripts' }] }],
  ['an empty list of domains', { policy: [{ ...RULE, domains: [] }] }],
  ['no decision', { policy: [{ effect: 'script' }] }],
  ['one rule instead of a list', { policy: RULE }],
])('a home file with %s stops the start', async (_, content) => {
  const files = await readConfigFiles(await makeFolders(content));
  expect(() => resolveConfig(files)).toThrow(/policy/);
});

it('a working folder cannot set, replace or remove the rules', async () => {
  const replaced = await readConfigFiles(
    await makeFolders({ policy: [RULE] }, { policy: [{ decision: 'allow' }] }),
  );
  expect(() => resolveConfig(replaced)).toThrow(/may not set "policy"/);
  const other = await readConfigFiles(await makeFolders({ policy: [RULE] }, {}));
  expect(resolveConfig(other).policy).toEqual([RULE]);
});

it('neither a flag nor a variable can set the rules', () => {
  expect(() => resolveConfig({ flags: ['--policy', '[]'] })).toThrow(/Unknown option --policy/);
  expect(() => resolveConfig({ env: { OPENCHROME_POLICY: '[]' } })).toThrow(/home folder/);
});

it('a daemon with other rules is not used', async () => {
  const files = await readConfigFiles(await makeFolders({ policy: [RULE] }));
  expect(resolveSettings(files).binding).toContain('policy');
});

describe.skipIf(process.platform === 'win32')('a file that others could change', () => {
  it('is rejected if it is a link', async () => {
    const folders = await makeFolders({ policy: [RULE] });
    const [path, target] = [
      join(folders.home, 'openchrome.json'),
      join(folders.workingFolder, 'p'),
    ];
    await rename(path, target);
    await symlink(target, path);
    await expect(readConfigFiles(folders)).rejects.toThrow(/regular file/);
  });

  it.each(['openchrome.json', ''])('is rejected if %j is writable by others', async (name) => {
    const folders = await makeFolders({ policy: [RULE] });
    await chmod(join(folders.home, name), name === '' ? 0o777 : 0o666);
    await expect(readConfigFiles(folders)).rejects.toThrow(/only you can write/);
  });
});
