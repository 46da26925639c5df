// Reads the web vitals of the page in a tab.
import type { Vitals } from '../../page/read-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { callFrames, type LoadedScript } from './call-page.ts';

const source = (): LoadedScript => import('page-script:vitals');

export const readVitals = (tab: Tab, signal: AbortSignal): Promise<Vitals> =>
  callFrames<Vitals>(tab.frames.main, source, '__oc_vitals.readVitals', {}, signal);
