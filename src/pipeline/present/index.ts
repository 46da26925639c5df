// Turns a tool's data into the reply in five stages, for all tools and frontends.
import type { Call, Step } from '../call.ts';
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

export const present: Step = async (call, next) => {
  await next();
  let presented: Presented = { data: call.data, view: {} };
  for (const stage of STAGES) presented = await stage(call, presented);
  call.reply = replyOf(call, presented);
};

const replyOf = (call: Call, { view }: Presented): NonNullable<Call['reply']> => {
  const body = buildBody(view);
  const shown =
    body === undefined
      ? {}
      : 'text' in body
        ? body.text === ''
          ? {}
          : body
        : { text: JSON.stringify(body.json), json: body.json };
  return { ...shown, images: view.images ?? [], notes: call.notes };
};
