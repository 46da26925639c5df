// Is Chrome's sandbox on?
import type { Check } from './check.ts';

export const sandboxCheck: Check = {
  id: 'sandbox',
  run: async ({ chrome, config }) => {
    const running = await chrome().catch(() => undefined);
    if (!running) return { status: 'warn', message: 'Not tried: no Chrome is running.' };
    if (running.sandbox) return { status: 'ok', message: 'Chrome runs in its sandbox' };
    return config.sandbox === false
      ? {
          status: 'warn',
          message: 'The sandbox is switched off by configuration.',
          fix: 'Leave --no-sandbox out where the machine allows it.',
        }
      : { status: 'warn', message: 'As root Chrome runs without its sandbox.', fix: 'Run as an ordinary user when pages are not trusted.' };
  },
};
