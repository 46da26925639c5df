// The redactor of a call: it knows the origins of the call's tab.
import { listOrigins } from '../browser/tabs/shown-page.ts';
import type { Redactor } from '../core/redactor.ts';
import type { Call } from './call.ts';

export const redactorFor = ({ rooms, course: { tab } }: Call): Redactor =>
  tab ? rooms.redactor.forOrigins(listOrigins(tab)) : rooms.redactor;
