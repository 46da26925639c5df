// Type of a presentation stage: takes the result and view so far and returns the next form.
import { valueIf } from '../../core/defined.ts';
import type { HeaderMode, View } from '../../toolkit/define-tool.ts';
import type { ToolOutput } from '../../toolkit/tool-call.ts';
import type { TimedCall } from '../call.ts';

export interface Presented {
  readonly result: ToolOutput;
  readonly view: View;
  /** The page that the reply describes. */
  readonly state?: HeaderState;
}

export interface HeaderState {
  readonly url: string;
  readonly title: string;
  readonly mode: HeaderMode;
  readonly capturedAt: number;
  readonly tabId: string;
}

export type Stage = (call: TimedCall, presented: Presented) => Presented | Promise<Presented>;

/**
 * Returns the body of a view: a text, or data to print as JSON; undefined if it has only images.
 */
export const buildBody = ({
  lead,
  text,
  json,
}: View): { readonly text: string } | { readonly json: unknown } | undefined => {
  if (lead === undefined && text === undefined) return valueIf(json !== undefined, { json });
  const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
  return { text: [lead, body].filter((part) => part !== undefined).join('\n') };
};
