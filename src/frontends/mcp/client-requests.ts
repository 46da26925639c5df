// Requests of the server to one client of the 2025 protocol, and the responses to them.
import { getField, isRecord } from '../../core/json.ts';
import type { AskClient } from './elicitation.ts';
import type { Id } from './protocol.ts';

export interface ClientRequests {
  readonly ask: AskClient;
  /** Settles the request that the message responds to. */
  receive(response: object): void;
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export const createClientRequests = (send: (message: unknown) => void): ClientRequests => {
  const pending = new Map<Id, PendingRequest>();
  let last = 0;
  return {
    ask: (method, params, signal) =>
      new Promise((resolve, reject) => {
        const id = `openchrome-${++last}`;
        const cancel = (): void => {
          pending.delete(id);
          send({
            jsonrpc: '2.0',
            method: 'notifications/cancelled',
            params: { requestId: id, reason: 'The question has ended.' },
          });
          reject(signal.reason as Error);
        };
        if (signal.aborted) return reject(signal.reason as Error);
        signal.addEventListener('abort', cancel, { once: true });
        const settle = (): void => signal.removeEventListener('abort', cancel);
        pending.set(id, {
          resolve: (result) => (settle(), resolve(result)),
          reject: (error) => (settle(), reject(error)),
        });
        send({ jsonrpc: '2.0', id, method, params });
      }),
    receive: (response) => {
      const id = getField(response, 'id') as Id;
      const request = pending.get(id);
      pending.delete(id);
      const error = getField(response, 'error');
      if (isRecord(error)) request?.reject(new Error(String(error['message'])));
      else request?.resolve(getField(response, 'result'));
    },
  };
};
