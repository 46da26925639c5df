// The requests of one stdio client that have no response yet: if the engine crashes, each gets a structured failure.
import type { Failure } from '../../core/failure.ts';
import { claimsStateless } from './era.ts';
import { classify, errorResponse, isObject, RPC, resultResponse, type Id, type Request, type Response } from './protocol.ts';
import { toResult } from './result.ts';

export class Unanswered {
  readonly #write: (message: unknown) => void;
  readonly #requests = new Map<Id, Request>();
  #crashed = false;

  constructor(write: (message: unknown) => void) {
    this.#write = write;
  }

  /** Remembers the requests of one line. */
  add(value: unknown): void {
    for (const part of Array.isArray(value) ? value : [value]) {
      const message = classify(part);
      if (message.kind === 'request') this.#requests.set(message.message.id, message.message);
    }
  }

  /** Writes a message of the server. After a crash only the failures of this class answer requests. */
  send(message: unknown): void {
    const responses = (Array.isArray(message) ? message : [message]).filter(isResponse);
    if (this.#crashed && responses.length > 0) return;
    for (const { id } of responses) this.#requests.delete(id as Id);
    this.#write(message);
  }

  /** Answers every open request with the failure. */
  crash(failure: Failure): void {
    this.#crashed = true;
    for (const request of this.#requests.values()) this.#write(failureTo(request, failure));
    this.#requests.clear();
  }
}

const isResponse = (message: unknown): message is Response => isObject(message) && ('result' in message || 'error' in message);

/** Clients of the 2026 protocol expect results in a form that only the SDK builds: they get an error of the protocol. */
const failureTo = (request: Request, failure: Failure): Response => {
  if (request.method === 'tools/call' && !claimsStateless(request))
    return resultResponse(request.id, toResult({ failure, images: [], notes: [] }, { asked: false, promised: false }));
  const { message, ...data } = failure.toJSON().error;
  return errorResponse(request.id, { code: RPC.refused, message, data });
};
