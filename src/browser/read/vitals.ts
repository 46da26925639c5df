// The web vitals of the page in a tab, as far as they are known.
import type { Vitals } from '../page-scripts/look-answers.ts';
import type { Tab } from '../tabs/tab.ts';
import { ask, type LoadedScript } from './ask.ts';

const source = (): LoadedScript => import('page-script:vitals');

export const readVitals = (tab: Tab, signal: AbortSignal): Promise<Vitals> =>
  ask<Vitals>(tab.frames.main, source, '__oc_vitals.readVitals', {}, signal);
