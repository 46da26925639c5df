// One stage of presenting: takes what is known so far, and returns it a step nearer to the reply.
import type { View } from '../../toolkit/define-tool.ts';
import type { Call } from '../call.ts';

export interface Presented {
  readonly data: unknown;
  readonly view: View;
}

export type Stage = (call: Call, presented: Presented) => Presented | Promise<Presented>;

/**
 * What a view amounts to: one text, or data to be shown as JSON; nothing where there are only
 * pictures.
 */
export const buildBody = ({
  lead,
  text,
  json,
}: View): { readonly text: string } | { readonly json: unknown } | undefined => {
  if (lead === undefined && text === undefined) return json === undefined ? undefined : { json };
  const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
  return { text: [lead, body].filter((part) => part !== undefined).join('\n') };
};
