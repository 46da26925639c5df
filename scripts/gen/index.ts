// The generated pages of docs/ and the extension's list of commands, each a pure function of the
// code.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cliPage } from './cli.ts';
import { configPage } from './config.ts';
import { errorsPage } from './errors.ts';
import { extensionMethods } from './extension-methods.ts';
import { mapPage } from './map.ts';
import { toolsPage } from './tools.ts';

type Page = (root: string) => string | Promise<string>;

const PAGES: Readonly<Record<string, Page>> = {
  'docs/tools.md': toolsPage,
  'docs/cli.md': cliPage,
  'docs/errors.md': errorsPage,
  'docs/config.md': configPage,
  'docs/map.md': mapPage,
  'extension/allowed-methods.ts': extensionMethods,
};

const NOTICE = '<!-- Written by `npm run gen` from the code: change the code, then run it. -->';

/** Returns the exit status: with `check`, 1 if a page differs. */
export const generate = async (
  root: string,
  { check }: { readonly check: boolean },
): Promise<number> => {
  let different = 0;
  for (const [path, page] of Object.entries(PAGES)) {
    const file = join(root, path);
    const notice = path.endsWith('.md') ? `${NOTICE}\n\n` : '';
    const text = `${notice}${(await page(root)).trim()}\n`;
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    different++;
    console.log(`${path} ${check ? 'is out of date' : 'written'}`);
    if (check) continue;
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
  }
  if (check && different > 0) console.log('Run `npm run gen` and commit the result.');
  return check && different > 0 ? 1 : 0;
};
