// Answers a POST without a session: one JSON document, or a stream if progress is requested.
import type { ServerResponse } from 'node:http';
import type { ClientFacts } from '../client-facts.ts';
import type { Exchange, Methods } from '../methods.ts';
import { RPC, type Request, type RpcResponse } from '../protocol.ts';
import { answerRequestMessage, respond } from '../respond.ts';
import { sendEmpty, sendJson } from './reply.ts';
import { createClientGoneSignal } from './web-request.ts';

export const answerPlainly = async (
  methods: Methods,
  response: ServerResponse,
  body: unknown,
  client: ClientFacts,
): Promise<void> => {
  const exchange: Exchange = { signal: createClientGoneSignal(response), notify: () => {}, client };
  const answer = await answerRequestMessage(body, {
    onRequest: (request) => respond(methods, request, exchange),
    onNotification: () => {},
  });
  if (answer) sendJson(response, [answer].flat().every(isInvalid) ? 400 : 200, answer);
  else sendEmpty(response, 202);
};

const isInvalid = (answer: RpcResponse): boolean =>
  'error' in answer && answer.error.code === RPC.invalidRequest;

/** Answers with a stream: an event for each progress message, the response last. */
export const answerAsStream = async (
  methods: Methods,
  response: ServerResponse,
  request: Request,
  client: ClientFacts,
): Promise<void> => {
  const send = (message: object): void =>
    void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  const notify: Exchange['notify'] = (method, params) => send({ jsonrpc: '2.0', method, params });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  send(
    await respond(methods, request, { signal: createClientGoneSignal(response), notify, client }),
  );
  response.end();
};
