// Does that Chrome really start and answer?
import { Failure } from '../../core/failure.ts';
import { monotonicMs } from '../../core/time.ts';
import type { Check } from './check.ts';

export const chromeLaunchCheck: Check = {
  id: 'launch',
  run: async ({ chrome }) => {
    const startedAt = monotonicMs();
    try {
      const running = await chrome();
      if (!running) return { status: 'warn', message: 'Not tried: there is no Chrome yet.' };
      const how = running.headless ? 'without a window' : 'with a window';
      return { status: 'ok', message: `${running.version} answered ${how} after ${Math.round(monotonicMs() - startedAt)} ms` };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { message, stderr } = error.toJSON().error as { message: string; stderr?: unknown };
      const said = typeof stderr === 'string' && stderr !== '' ? ` It said: ${stderr.split('\n').at(-1)}` : '';
      return { status: 'fail', message: `${message}${said}`, fix: fixFor(error) };
    }
  },
};

/** The usual hint of a failed launch is to run the doctor, which does not help here. */
const fixFor = ({ code, details, kind }: Failure): string => {
  if (details.hint !== undefined) return details.hint;
  if (code !== 'chrome_launch_failed' && kind.hint !== undefined) return kind.hint;
  return 'Use another Chrome: "openchrome install-browser", or name one with --chrome-path.';
};
