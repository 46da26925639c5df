// The answer to a bare POST, as curl sends one: no session, no stream, one JSON document back.
import type { ServerResponse } from 'node:http';
import type { Methods } from '../methods.ts';
import { RPC, type Response } from '../protocol.ts';
import { answerTo, respond } from '../respond.ts';
import { sendEmpty, sendJson } from './reply.ts';
import { clientGone } from './web-request.ts';

export const answerPlainly = async (methods: Methods, response: ServerResponse, body: unknown): Promise<void> => {
  const exchange = { signal: clientGone(response), notify: () => {} };
  const answer = await answerTo(body, { onRequest: (request) => respond(methods, request, exchange), onNotification: () => {} });
  if (answer) sendJson(response, [answer].flat().every(isInvalid) ? 400 : 200, answer);
  else sendEmpty(response, 202);
};

const isInvalid = (answer: Response): boolean => 'error' in answer && answer.error.code === RPC.invalidRequest;
