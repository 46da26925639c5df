// One stage of presenting: takes what is known so far, and returns it a step nearer to the reply.
import type { View } from '../../toolkit/define-tool.ts';
import type { Call } from '../call.ts';

export interface Presented {
  readonly data: unknown;
  readonly view: View;
}

export type Stage = (call: Call, presented: Presented) => Presented | Promise<Presented>;
