// Adds the page-state header: which page the reply describes.
import { formatAddress } from '../../core/text.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { sanitiseTitle } from '../../policy/sanitise.ts';
import type { HeaderMode } from '../../toolkit/define-tool.ts';
import { redactorFor } from '../redactor-for.ts';
import type { HeaderState, Stage } from './stage.ts';

export const header: Stage = (call, presented) => {
  const { view, result } = presented;
  const { tab } = call.course;
  const isOff = call.request.shell?.bare === true || isHeaderOff();
  const mode = isOff ? undefined : result.header;
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
const stateOf = (tab: Tab, mode: HeaderMode): HeaderState => ({
  url: formatAddress(tab.url),
  title: sanitiseTitle(tab.title),
  mode,
  capturedAt: tab.clock(),
  tabId: tab.id,
});
