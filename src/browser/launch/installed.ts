// The record of the browser that `openchrome install-browser` installed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Home } from '../../core/home.ts';
import type { ChromeLocation } from './chrome-locations.ts';
import { loadJson } from '../../system/private-files.ts';
import { replaceFile } from '../../system/replace-file.ts';

const Installed = z.object({
  /** Relative to the browsers folder, so that the home folder can be moved. */
  path: z.string().min(1),
  version: z.string(),
});

const buildRecordPath = (home: Home): string => join(home.browsers, 'installed.json');

export const findInstalled = async (home: Home): Promise<ChromeLocation | undefined> => {
  const note = Installed.safeParse(await loadJson(buildRecordPath(home)));
  if (!note.success) return undefined;
  const path = join(home.browsers, note.data.path);
  return existsSync(path) ? { path, product: 'chrome' } : undefined;
};

export const noteInstalled = (home: Home, installed: z.input<typeof Installed>): Promise<void> =>
  replaceFile(buildRecordPath(home), JSON.stringify(installed));
