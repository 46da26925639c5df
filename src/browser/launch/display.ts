// Decides whether Chrome runs with a window, from the options and the display of the machine.
import type { Config } from '../../core/config.ts';
import { fail } from '../../core/failure.ts';
import type { Product } from './chrome-locations.ts';

interface DisplayFacts {
  readonly config: Pick<Config, 'headless' | 'headed'>;
  readonly product: Product;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

export const isHeadless = ({ config, product, platform, env }: DisplayFacts): boolean => {
  const wanted = windowWanted(config);
  const display = platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (wanted !== true) return wanted === false || !display || product === 'headless-shell';
  if (!display)
    throw fail(
      'chrome_launch_failed',
      '--headed needs a display, and there is none ' +
        '(neither DISPLAY nor WAYLAND_DISPLAY is set).',
      {
        hint: 'Leave --headed out, or start a display (for example with xvfb-run).',
      },
    );
  if (product === 'headless-shell')
    throw fail(
      'chrome_launch_failed',
      '--headed needs a Chrome with a window, and the one found here can only run headless.',
      {
        hint: 'Leave --headed out, or set --chrome-path to another Chrome.',
      },
    );
  return false;
};

/** True with a window, false without, undefined if no option is set. */
const windowWanted = ({
  headless,
  headed,
}: Pick<Config, 'headless' | 'headed'>): boolean | undefined => {
  if (headless !== undefined && headed !== undefined && headless === headed)
    throw fail(
      'invalid_argument',
      '--headless and --headed contradict each other: use one of them.',
      { argument: 'headed' },
    );
  return headed ?? (headless === undefined ? undefined : !headless);
};
