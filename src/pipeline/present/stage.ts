// Type of a presentation stage: takes the data and view so far and returns the next form.
import type { View } from '../../toolkit/define-tool.ts';
import type { Call } from '../call.ts';

export interface Presented {
  readonly data: unknown;
  readonly view: View;
}

export type Stage = (call: Call, presented: Presented) => Presented | Promise<Presented>;

/**
 * Returns the body of a view: a text, or data to print as JSON; undefined if it has only images.
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
