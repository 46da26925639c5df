// A call that a script or a recipe makes: it runs through all steps, like a call of a client.
import type { Elicit } from '../consent/waiting.ts';
import type { Failure } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';

export interface InnerCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly session: string;
  readonly folder?: string | undefined;
  readonly signal: AbortSignal;
  /** Puts a question to the user of the client; undefined if the client cannot. */
  readonly elicit?: Elicit | undefined;
}

export interface InnerReply {
  readonly text?: string;
  /** The data of a JSON reply. */
  readonly json?: unknown;
  /** The JSON form of a reply that is a text. */
  readonly data?: unknown;
  readonly notes: readonly string[];
  readonly failure?: Failure;
}

export type RunInnerCall = (call: InnerCall) => Promise<InnerReply>;

/** The value of a call for a program: its data; a reply that is a text also has it as `text`. */
export const buildCallValue = ({ json, data, text }: InnerReply): unknown => {
  if (json !== undefined) return json;
  if (isRecord(data)) return 'text' in data ? data : { ...data, text };
  return { text, result: data };
};
