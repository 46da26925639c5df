// Watches the folders of recipes: reports when a recipe file was added, changed or removed.
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { after } from '../../core/time.ts';
import type { Recipes } from './recipes.ts';

/** Several changes within this time are one report. */
const QUIET_MS = 100;
/** Folders that are watched at most; changes in further ones are not reported. */
const MAX_FOLDERS = 200;

/** Calls `onChange` after each change until it is disposed. */
export const watchRecipes = async (recipes: Recipes, onChange: () => void): Promise<Disposable> => {
  const watching = new RecipeWatch(recipes, onChange);
  await watching.start();
  return watching;
};

class RecipeWatch implements Disposable {
  readonly #recipes: Recipes;
  readonly #onChange: () => void;
  #watchers: readonly FSWatcher[] = [];
  #marks = '';
  #timer: Disposable | undefined;
  #isEnded = false;

  constructor(recipes: Recipes, onChange: () => void) {
    this.#recipes = recipes;
    this.#onChange = onChange;
  }

  async start(): Promise<void> {
    await this.#watchFolders();
    this.#marks = await this.#readMarks();
  }

  async #watchFolders(): Promise<void> {
    const folders = await this.#recipes.folders();
    this.#close();
    if (this.#isEnded) return;
    this.#watchers = folders.slice(0, MAX_FOLDERS).flatMap((folder) => {
      const watcher = attempt(() => this.#watchFolder(folder));
      return watcher ? [watcher] : [];
    });
  }

  /** A folder that does not exist yet is watched through the folder that it will be created in. */
  #watchFolder(folder: string): FSWatcher {
    const isThere = attempt(() => statSync(folder).isDirectory(), false);
    if (isThere) return this.#listen(folder);
    const parent = dirname(folder);
    const hasParent = attempt(() => statSync(parent).isDirectory(), false);
    return hasParent
      ? this.#listen(parent, basename(folder))
      : this.#listen(dirname(parent), basename(parent));
  }

  #listen(folder: string, only?: string): FSWatcher {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (only === undefined || name === null || name === only) this.#schedule();
    });
    watcher.on('error', () => watcher.close()); // for example a removed folder
    return watcher;
  }

  #schedule(): void {
    this.#timer ??= after(QUIET_MS, () => {
      this.#timer = undefined;
      // A folder that cannot be read has no recipes; the next change is reported.
      this.#compare().catch(() => {});
    });
  }

  async #compare(): Promise<void> {
    await this.#watchFolders();
    const marks = await this.#readMarks();
    if (this.#isEnded || marks === this.#marks) return;
    this.#marks = marks;
    this.#onChange();
  }

  async #readMarks(): Promise<string> {
    const files = await this.#recipes.files();
    return files
      .map((path) => [path, attempt(() => statSync(path))] as const)
      .map(([path, stats]) => `${path} ${stats?.mtimeMs} ${stats?.size}`)
      .join('\n');
  }

  #close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#timer?.[Symbol.dispose]();
    this.#close();
  }
}
