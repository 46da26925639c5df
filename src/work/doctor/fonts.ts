// Does text have a size? Without any font pages look, and read, as if they were empty.
import { CdpConnection } from '../../browser/cdp/connection.ts';
import type { Check } from './check.ts';

const MEASURE = `(() => {
  const line = document.body.appendChild(document.createElement('span'));
  line.textContent = 'The quick brown fox';
  return line.getBoundingClientRect().width;
})()`;

export const fontsCheck: Check = {
  id: 'fonts',
  run: async ({ chrome, signal }) => {
    const running = await chrome().catch(() => undefined);
    if (!running) return { status: 'warn', message: 'Not tried: no Chrome is running.' };
    const connection = new CdpConnection(running.transport);
    const { targetId } = await connection.root.send('Target.createTarget', { url: 'about:blank' }, signal);
    const { sessionId } = await connection.root.send('Target.attachToTarget', { targetId, flatten: true }, signal);
    const { result } =
      (await connection.session(sessionId)?.send('Runtime.evaluate', { expression: MEASURE, returnByValue: true }, signal)) ?? {};
    if (typeof result?.value === 'number' && result.value > 0) return { status: 'ok', message: 'text is laid out' };
    return {
      status: 'fail',
      message: 'There is no font: text has no size, and pages read as if they were empty.',
      fix: 'Install a font package, such as fonts-liberation.',
    };
  },
};
