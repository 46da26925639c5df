// The body of a request, read up to a limit that holds while it arrives.
import type { IncomingMessage } from 'node:http';
import { fail } from '../../../core/failure.ts';

export const readBody = async (request: IncomingMessage, maxBytes: number): Promise<string> => {
  const tooLarge = (): Error => fail('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // The request outlives a failed reading: over its connection the refusal still has to go out.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
