// The CDP connection: an error in one message or listener never costs another message.
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ListenerError } from '../../core/events.ts';
import { CdpConnection } from './connection.ts';
import { createPipeTransport } from './pipe.ts';

let thrown: unknown[] = [];
let before: NodeJS.UncaughtExceptionListener[] = [];
const keep = (error: unknown): void => void thrown.push(error);

beforeEach(() => {
  thrown = [];
  before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', keep);
});
afterEach(() => {
  process.removeAllListeners('uncaughtException');
  for (const listener of before) process.on('uncaughtException', listener);
});

/** A connection over a pipe whose other end is in the test's hands. */
const connect = (): {
  readonly connection: CdpConnection;
  readonly sendFromChrome: (...messages: unknown[]) => void;
} => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = new CdpConnection(createPipeTransport(input, output));
  const sendFromChrome = (...messages: unknown[]): void => {
    output.write(messages.map((message) => `${JSON.stringify(message)}\0`).join(''));
  };
  return { connection, sendFromChrome };
};

const attached = (sessionId: string): object => ({
  method: 'Target.attachedToTarget',
  params: {
    sessionId,
    targetInfo: { targetId: `target-${sessionId}`, type: 'page' },
    waitingForDebugger: false,
  },
});

test('a listener that throws does not affect other listeners or the rest of the chunk', async () => {
  const { connection, sendFromChrome } = connect();
  const heard: string[] = [];
  connection.root.on('Target.targetCreated', () => {
    throw new Error('a broken listener');
  });
  connection.root.on(
    'Target.targetCreated',
    ({ targetInfo }) => void heard.push(targetInfo.targetId),
  );
  const version = connection.root.send('Browser.getVersion');
  sendFromChrome(
    { method: 'Target.targetCreated', params: { targetInfo: { targetId: 'one' } } },
    { method: 'Target.targetCreated', params: { targetInfo: { targetId: 'two' } } },
    { id: 1, result: { product: 'Chrome/1' } },
  );
  expect(await version).toEqual({ product: 'Chrome/1' });
  expect(heard).toEqual(['one', 'two']);
  expect(thrown.map((error) => (error as ListenerError).cause)).toEqual([
    new Error('a broken listener'),
    new Error('a broken listener'),
  ]);
});

test('a session whose close listener throws still ends every other session', async () => {
  const { connection, sendFromChrome } = connect();
  sendFromChrome(attached('A'), attached('B'));
  await expect.poll(() => connection.session('B')).toBeDefined();
  const reasons: string[] = [];
  connection.session('A')?.onClose(() => {
    throw new Error('a broken close listener');
  });
  connection.session('A')?.onClose((reason) => void reasons.push(`A ${reason}`));
  connection.session('B')?.onClose((reason) => void reasons.push(`B ${reason}`));
  const pending = connection.session('B')?.send('Page.enable');
  connection.close();
  await expect(pending).rejects.toThrow('closed by us');
  expect(reasons).toEqual(['A closed by us', 'B closed by us']);
});

test('an error of the test in next() rejects the promise and removes the listener', async () => {
  const { connection, sendFromChrome } = connect();
  const next = connection.root.next('Target.targetDestroyed', undefined, () => {
    throw new Error('a broken test');
  });
  sendFromChrome({ method: 'Target.targetDestroyed', params: { targetId: 'one' } });
  await expect(next).rejects.toThrow('a broken test');
  sendFromChrome({ method: 'Target.targetDestroyed', params: { targetId: 'two' } });
  expect(thrown).toEqual([]);
});

test('next() rejects when its signal aborts and when the connection ends', async () => {
  const { connection } = connect();
  const abort = new AbortController();
  const aborted = connection.root.next('Target.targetCreated', abort.signal);
  const closed = connection.root.next('Target.targetCreated', undefined);
  abort.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  connection.close();
  await expect(closed).rejects.toThrow('closed by us');
});

test.each([
  null,
  'text',
  7,
  { method: 'Target.attachedToTarget' },
  { method: 'Target.detachedFromTarget', params: null },
])(
  'the message %j, which is not CDP, ends the connection with its pending commands',
  async (message) => {
    const { connection, sendFromChrome } = connect();
    const pending = connection.root.send('Browser.getVersion');
    sendFromChrome(message);
    await expect(pending).rejects.toThrow('not valid CDP');
    expect(connection.closed).toBe(true);
    expect(thrown).toEqual([]);
  },
);

test('many commands with one signal cause no warning about listeners', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const { connection, sendFromChrome } = connect();
  const { signal } = new AbortController();
  const commands = Array.from({ length: 20 }, () =>
    connection.root.send('Browser.getVersion', undefined, signal),
  );
  sendFromChrome(...commands.map((_, i) => ({ id: i + 1, result: { product: `Chrome/${i}` } })));
  await Promise.all(commands);
  await new Promise((resolve) => setImmediate(resolve)); // Node emits warnings in the next tick
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
