// What is told about a page right after it was opened, in one question.
import factsScript from 'page-script:facts';
import { isGone } from '../cdp/errors.ts';
import type { PageFacts } from '../page-scripts/answers.ts';
import type { Tab } from './tab.ts';

/** Absent when the page cannot be asked now: a dialog is open, or it went on to another page. */
export const readPageFacts = async (tab: Tab, signal: AbortSignal): Promise<PageFacts | undefined> => {
  if (tab.dialog) return undefined;
  const { main } = tab.frames;
  try {
    const uniqueContextId = await main.contextId('isolated', signal);
    const expression = `(()=>{${factsScript};return __oc_facts.readFacts()})()`;
    const { result } = await main.session.send('Runtime.evaluate', { expression, uniqueContextId, returnByValue: true }, signal);
    const facts = result.value as PageFacts;
    tab.title = facts.title;
    return facts;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
};
