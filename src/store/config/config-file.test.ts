// Reading openchrome.json from the home folder and the working folder.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfigFiles } from './config-file.ts';

let root: string;
let places: { home: string; workingFolder: string };

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'openchrome-config-'));
  places = { home: join(root, 'home'), workingFolder: join(root, 'work') };
  await mkdir(places.home);
  await mkdir(places.workingFolder);
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('returns no file if neither folder has one', async () => {
  expect(await readConfigFiles({ ...places, home: join(root, 'not there') })).toEqual({});
});

it('returns the file of the home folder and the file of the working folder', async () => {
  const homePath = join(places.home, 'openchrome.json');
  await writeFile(homePath, '\uFEFF{"slim": true}');
  const homeFile = { path: homePath, content: { slim: true } };
  expect(await readConfigFiles(places)).toEqual({ homeFile });
  const projectPath = join(places.workingFolder, 'openchrome.json');
  await writeFile(projectPath, '{}');
  expect(await readConfigFiles(places)).toEqual({
    homeFile,
    projectFile: { path: projectPath, content: {} },
  });
});

it('returns the home file once if the working folder is the home folder, also through a link', async () => {
  await writeFile(join(places.home, 'openchrome.json'), '{"allowReveal": true}');
  const link = join(root, 'link');
  await symlink(places.home, link);
  for (const workingFolder of [places.home, link])
    expect(await readConfigFiles({ home: places.home, workingFolder })).not.toHaveProperty(
      'projectFile',
    );
});

it('is named when it is not JSON', async () => {
  await writeFile(join(places.home, 'openchrome.json'), '{slim: true}');
  await expect(readConfigFiles(places)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('openchrome.json'),
  });
});

it('is named when it cannot be read', async () => {
  await mkdir(join(places.workingFolder, 'openchrome.json'));
  await expect(readConfigFiles(places)).rejects.toMatchObject({ code: 'storage_failed' });
});
