// From a tool's data to what the client sees, in five small stages; every tool and every frontend
// goes this way.
import type { Call, Step } from '../call.ts';
import { fit } from './fit.ts';
import { header } from './header.ts';
import { redact } from './redact.ts';
import { render } from './render.ts';
import { sanitise } from './sanitise.ts';
import { buildBody, type Presented, type Stage } from './stage.ts';

const STAGES: readonly Stage[] = [
  sanitise, // page text loses what people do not see, before anything is made of it
  redact, // secrets go while the data still has names to know them by
  render, // data becomes text or JSON, once
  header, // which page this is from, part of what may be stored
  fit, // last, because only now the size is known
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
