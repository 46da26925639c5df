// openchrome.json: the nearest one counts, and a broken one is said to be broken.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfigFile } from './config-file.ts';

let root: string;
let places: { home: string; workingFolder: string };

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'openchrome-config-'));
  places = { home: join(root, 'home'), workingFolder: join(root, 'work') };
  await mkdir(places.home);
  await mkdir(places.workingFolder);
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('is absent where nobody wrote one', async () => {
  expect(await readConfigFile({ ...places, home: join(root, 'not there') })).toBeUndefined();
});

it('is taken from the home folder, or from the working folder before it', async () => {
  const ofHome = join(places.home, 'openchrome.json');
  await writeFile(ofHome, '\uFEFF{"slim": true}');
  expect(await readConfigFile(places)).toEqual({ path: ofHome, content: { slim: true }, ofOwner: true });
  const ofWork = join(places.workingFolder, 'openchrome.json');
  await writeFile(ofWork, '{"allTools": true}');
  expect(await readConfigFile(places)).toEqual({ path: ofWork, content: { allTools: true }, ofOwner: false });
});

it('is named when it is not JSON', async () => {
  await writeFile(join(places.home, 'openchrome.json'), '{slim: true}');
  await expect(readConfigFile(places)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('openchrome.json'),
  });
});

it('is named when it cannot be read', async () => {
  await mkdir(join(places.workingFolder, 'openchrome.json'));
  await expect(readConfigFile(places)).rejects.toMatchObject({ code: 'storage_failed' });
});
