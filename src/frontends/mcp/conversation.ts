// Splits the input into lines and answers the messages of one client.
import { fail } from '../../core/failure.ts';
import { ClientConnection, createClientRequests } from './client-connection.ts';
import { offersForms } from './elicitation.ts';
import type { Methods } from './methods.ts';
import type { Id, Notification, Request, RpcResponse } from './protocol.ts';
import { answerRequestMessage, respond } from './respond.ts';

export interface Conversation {
  /** One parsed line: a message, or several in an array. */
  receive(value: unknown): void;
  /** Aborts the pending requests. */
  close(): void;
}

export const createConversation = (
  methods: Methods,
  send: (message: unknown) => void,
): Conversation => {
  const running = new Map<Id, AbortController>();
  const requests = createClientRequests(send);
  const notify = (method: string, params: object): void => send({ jsonrpc: '2.0', method, params });
  const connection = new ClientConnection(notify);
  let mayAsk = false;
  let clientInfo: unknown;

  const onRequest = async (request: Request): Promise<RpcResponse | undefined> => {
    const abort = new AbortController();
    running.set(request.id, abort);
    if (request.method === 'initialize') {
      mayAsk = offersForms(request.params?.['capabilities']);
      clientInfo = request.params?.['clientInfo'];
    }
    const response = await respond(methods, request, {
      signal: abort.signal,
      notify,
      connection,
      clientInfo,
      ask: mayAsk ? requests.ask : undefined,
    });
    if (running.get(request.id) === abort) running.delete(request.id);
    return abort.signal.aborted ? undefined : response; // a cancelled request gets no response
  };

  const onNotification = ({ method, params }: Notification): void => {
    if (method === 'notifications/cancelled')
      running
        .get(params?.['requestId'] as Id)
        ?.abort(fail('cancelled', 'The client cancelled the call.'));
  };

  const receive = async (value: unknown): Promise<void> => {
    const answer = await answerRequestMessage(value, {
      onRequest,
      onNotification,
      onResponse: (response) => requests.receive(response),
    });
    if (answer) send(answer);
  };

  return {
    receive: (value) => void receive(value),
    close: () => {
      connection[Symbol.dispose]();
      for (const abort of running.values())
        abort.abort(fail('cancelled', 'The client disconnected.'));
    },
  };
};

// Splits bytes into lines; a line over the limit is dropped as it arrives, not buffered.

const NEWLINE = 0x0a;

interface LineOptions {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** Called once for every line that is too long. */
  readonly onTooLong: () => void;
}

export interface LineSplitter {
  readonly take: (chunk: Buffer) => void;
  /** The bytes of a line that has not ended yet. */
  readonly rest: () => Buffer;
}

export const splitLines = ({ maxBytes, onLine, onTooLong }: LineOptions): LineSplitter => {
  let parts: Buffer[] = [];
  let size = 0;

  const gather = (part: Buffer): void => {
    const fitted = size <= maxBytes;
    size += part.length;
    if (size <= maxBytes) return void parts.push(part);
    parts = [];
    if (fitted) onTooLong();
  };

  const finish = (): void => {
    const line = size <= maxBytes ? Buffer.concat(parts).toString('utf8').trim() : '';
    parts = [];
    size = 0;
    if (line !== '') onLine(line);
  };

  const take = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      gather(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) gather(chunk.subarray(start));
  };
  return { take, rest: () => Buffer.concat(parts) };
};
