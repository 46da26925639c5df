// Reads the web vitals of the page in a tab.
import type { Vitals } from '../../page/read-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { inPage } from '../tabs/in-page.ts';

export const readVitals = (tab: Tab, signal: AbortSignal): Promise<Vitals> =>
  tab.frames.main.call(inPage.vitals.read, [], signal);
