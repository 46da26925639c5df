// Turns a tool's data into the reply in five stages, for all tools and frontends.
import type { View } from '../../toolkit/define-tool.ts';
import type { ToolOutput } from '../../toolkit/tool-call.ts';
import { stringifyInSlices } from '../../core/json.ts';
import type { Reply, Step, TimedCall } from '../call.ts';
import { fit } from './fit.ts';
import { header } from './header.ts';
import { redact } from './redact.ts';
import { render } from './render.ts';
import { sanitise } from './sanitise.ts';
import { buildBody, type Presented, type Stage } from './stage.ts';

const STAGES: readonly Stage[] = [
  sanitise, // removes invisible text before the data is used
  redact, // removes secrets while the data still has field names
  render, // turns data into text or JSON
  header, // adds the page header, which is part of a stored body
  fit, // last, because the size is known only now
];

export const present: Step<TimedCall, TimedCall, ToolOutput, Reply> = async (call, next) => {
  let presented: Presented = { result: await next(call), view: {} };
  for (const stage of STAGES) presented = await stage(call, presented);
  return buildReply(call, presented);
};

const buildReply = async (call: TimedCall, presented: Presented): Promise<Reply> => ({
  ...(await renderBody(presented.view, call.deadline.signal)),
  ...buildData(presented),
  images: presented.view.images ?? [],
  notes: call.notes,
});

/** The JSON form of a reply whose body is not JSON. */
const buildData = ({ view, state, result }: Presented): Pick<Reply, 'data'> => {
  if (view.json !== undefined && view.lead === undefined) return {};
  const data = view.data ?? result.data;
  return { data: state ? { state, ...toObject(data) } : data };
};

const toObject = (data: unknown): object =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : { result: data };

const renderBody = async (
  view: View,
  signal: AbortSignal,
): Promise<Pick<Reply, 'text' | 'json'>> => {
  const body = buildBody(view);
  if (body === undefined) return {};
  if (!('text' in body))
    return { text: await stringifyInSlices(body.json, signal), json: body.json };
  return body.text === '' ? {} : body;
};
