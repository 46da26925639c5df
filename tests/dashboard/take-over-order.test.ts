// What the live feed tells of take-overs whose steps overlap.
import type { ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { useSite } from '../fixtures.ts';
import { closeSocket, useWatchedServer } from './live-socket.ts';

const site = useSite();
const watched = useWatchedServer();

interface ControlMessage {
  readonly type: string;
  readonly state: string;
  readonly chooser?: object;
}

const PAGE = `<title>Form</title><body style="margin:0">
  <input id="file" type="file" style="position:absolute;left:0;top:0;width:300px;height:40px">`;

const openPage = async (path: string): Promise<string> => {
  const url = site.page(path, PAGE);
  const { tabId } = JSON.parse(await watched.server.call('navigate', { url })) as { tabId: string };
  // Chrome ignores the pointer until a page has painted.
  await watched.server.call('wait_for', {
    function: 'performance.getEntriesByType("paint").length > 0',
  });
  return tabId;
};

/** Collects the control messages of a socket. */
const listen = (socket: WebSocket): ControlMessage[] => {
  const messages: ControlMessage[] = [];
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    const message = isBinary ? undefined : (JSON.parse(data.toString()) as ControlMessage);
    if (message?.type === 'control') messages.push(message);
  });
  return messages;
};

const until = (test: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(test()).toBe(true), { timeout: 20_000 });

const fileMessage = (tabId: string, name: string, content: string): Buffer => {
  const header = Buffer.from(JSON.stringify({ tabId, files: [{ name, size: content.length }] }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, Buffer.from(content)]);
};

it('reports the end of a take-over last, when the tab is given back together with a file', async () => {
  const tabId = await openPage('/file-and-end');
  const socket = await watched.openSocket();
  const messages = listen(socket);
  const say = (message: object): void => socket.send(JSON.stringify({ tabId, ...message }));
  const press = (event: string): void =>
    say({ type: 'input', input: { type: 'pointer', event, x: 50, y: 20, buttons: 1 } });
  say({ type: 'take-over' });
  await until(() => messages.at(-1)?.state === 'active');
  press('down');
  press('up');
  await until(() => messages.at(-1)?.chooser !== undefined);
  socket.send(fileMessage(tabId, 'note.txt', 'hello'));
  say({ type: 'give-back' });
  await until(() => messages.some(({ state }) => state === 'ended'));
  const readFile = (): Promise<string> =>
    watched.server.call('javascript_tool', {
      code: 'return document.getElementById("file").files[0]?.name ?? "none"',
    });
  await expect.poll(readFile, { timeout: 20_000 }).toBe('note.txt');
  expect(messages.at(-1)?.state).toBe('ended');
  await closeSocket(socket);
});

it('shows a viewer that it waits for the current action, and ends if the viewer gives back before', async () => {
  const tabId = await openPage('/pending');
  const socket = await watched.openSocket();
  const messages = listen(socket);
  const begun = new Promise<ServerResponse>((resolve) => {
    site.page('/slow', (_, answer) => resolve(answer));
  });
  const action = watched.server.call('javascript_tool', {
    code: 'return "answered " + (await fetch("/slow")).status',
  });
  const answer = await begun;
  socket.send(JSON.stringify({ type: 'take-over', tabId }));
  await until(() => messages.at(-1)?.state === 'pending');
  socket.send(JSON.stringify({ type: 'give-back', tabId }));
  await until(() => messages.at(-1)?.state === 'ended');
  answer.end();
  expect(await action).toContain('answered 200');
  expect(await watched.server.call('interact', { action: 'click', selector: '#file' })).toContain(
    'file chooser',
  );
  expect(messages.map(({ state }) => state)).toEqual(['pending', 'ended']);
  await closeSocket(socket);
});
