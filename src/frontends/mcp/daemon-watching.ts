// Watches tasks through the daemon, and recipes through their files, for a host of `--shared`.
import type { Home } from '../../core/home.ts';
import { watchRecipes } from '../../store/recipes/recipe-watch.ts';
import { Recipes } from '../../store/recipes/recipes.ts';
import type { CallOptions } from '../cli/client.ts';
import { WATCH_METHOD } from './protocol.ts';
import type { Watching } from './stored-methods.ts';

type SendRequest = (method: string, params: object, options: CallOptions) => Promise<object>;

/** The daemon reports the start and each change as progress of a request that stays open. */
export const createDaemonWatching = (request: SendRequest, home: Home): Watching => ({
  resource: (uri, onChange) =>
    new Promise((resolve, reject) => {
      const ended = new AbortController();
      const onProgress = ({ progress }: { readonly progress: number }): void => {
        if (progress === 0) resolve({ [Symbol.dispose]: () => ended.abort() });
        else onChange();
      };
      request(WATCH_METHOD, { uri }, { signal: ended.signal, onProgress }).catch(
        (error: unknown) => {
          reject(error);
          // The daemon has ended, and with it the work of the task.
          if (!ended.signal.aborted) onChange();
        },
      );
    }),
  prompts: (folder, onChange) => watchRecipes(new Recipes(home.recipes, folder), onChange),
});
