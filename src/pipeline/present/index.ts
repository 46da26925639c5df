// Turns a tool's data into the reply in five stages, for all tools and frontends.
import { valueIf } from '../../core/defined.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { NOTE_WORD } from '../../core/ids.ts';
import { isRecord, stringifyInSlices } from '../../core/json.ts';
import { formatAddress } from '../../core/text.ts';
import { describeFindings, sanitiseLargeData, sanitiseTitle } from '../../policy/sanitise.ts';
import type { DocumentHeader, HeaderMode, View } from '../../toolkit/define-tool.ts';
import type { ToolOutput } from '../../toolkit/tool-call.ts';
import type { Reply, Step, TimedCall } from '../call.ts';
import { redactorFor } from '../quote.ts';
import { fit } from './fit.ts';
import { buildBody, type HeaderState, type Presented, type Stage } from './stage.ts';

// Adds the page-state header: which page the reply describes.

const header: Stage = (call, presented) => {
  const { view, result } = presented;
  const { tab } = call.course;
  const isOff = call.request.shell?.bare === true || isHeaderOff();
  const mode = valueIf(!isOff, result.header);
  if (!mode || !tab || (view.text === undefined && view.json === undefined)) return presented;
  // the data was already redacted, this state was not
  const state = redactorFor(call).data(stateOf(tab, mode));
  if (view.text === undefined)
    return { ...presented, view: { ...view, json: { state, ...(view.json as object) } } };
  if (call.request.inner) return { ...presented, state };
  const lines = [
    `- Page URL: ${state.url}`,
    `- Page Title: ${state.title}`,
    `- Page Mode: ${state.mode}`,
    `- Captured At: ${new Date(state.capturedAt).toISOString()}`,
  ];
  return { ...presented, state, view: { ...view, text: `${lines.join('\n')}\n\n${view.text}` } };
};

/** Read at call time, so that a host can change it without a restart. */
const isHeaderOff = (): boolean => process.env['OPENCHROME_STATE_HEADER']?.toLowerCase() === 'off';

/** Uses known state only; sends no request to Chrome. */
const stateOf = (tab: Tab, header: HeaderMode | DocumentHeader): HeaderState => {
  const { url, title } = typeof header === 'string' ? tab : header;
  return {
    url: formatAddress(url),
    title: sanitiseTitle(title),
    mode: typeof header === 'string' ? header : header.mode,
    capturedAt: tab.clock(),
    tabId: tab.id,
  };
};

/** Removes secrets from the data, except stored data, which was redacted before. */
const redact: Stage = async (call, presented) => {
  if (call.tool.traits.verbatim || call.toolCall.revealsSecrets) return presented;
  const redactor = redactorFor(call);
  const result = await presented.result.clean((data) =>
    redactor.largeData(data, call.deadline.signal),
  );
  return { ...presented, result };
};

/** Renders the data with the tool's `render`, otherwise as JSON. */
const render: Stage = async (call, { result }) => ({
  result,
  view: await result.render((input) => redactorFor(call).largeData(input, call.deadline.signal)),
});

/** Removes text that people cannot see but models would read, and adds one note about it. */
const sanitise: Stage = async (call, presented) => {
  const { config, workers } = call.services;
  const { signal } = call.deadline;
  if (!config.sanitizeContent) return presented;
  const { html, verbatim } = call.tool.traits;
  const options = { html: html === true, countOnly: verbatim === true };
  const result = await presented.result.clean((data) =>
    sanitiseLargeData(data, call.findings, options, { workers, signal }),
  );
  const note = describeFindings(call.findings, NOTE_WORD);
  if (note !== undefined) call.notes.push(note);
  return { ...presented, result };
};

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

const toObject = (data: unknown): object => (isRecord(data) ? data : { result: data });

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
