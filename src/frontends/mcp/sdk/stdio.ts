// stdio through the SDK: receives the lines that we split and detects the client's revision.
import { serveStdio, type ServeStdioOptions } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../../../core/log.ts';
import type { Conversation } from '../conversation.ts';
import type { Methods } from '../methods.ts';
import { classify } from '../protocol.ts';
import { invalidRequest } from '../respond.ts';
import { createSdkServer } from './server.ts';

type SdkTransport = NonNullable<ServeStdioOptions['transport']>;

export const createSdkConversation = (
  methods: Methods,
  log: Log,
  send: (message: unknown) => void,
): Conversation => {
  const wire: SdkTransport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => send(message),
  };
  const served = serveStdio(() => createSdkServer(methods), {
    transport: wire,
    onerror: (error) => log.debug('mcp sdk', error.message),
  });
  return {
    receive: (value) => {
      const message = classify(value);
      if (message.kind === 'invalid') send(invalidRequest(message.id));
      else wire.onmessage?.(value as never);
    },
    close: () => void served.close(),
  };
};
