// The redactor for one call: it knows the origins that the call's tab shows.
import { listOrigins } from '../browser/tabs/origins.ts';
import type { Redactor } from '../core/redactor.ts';
import type { Call } from './call.ts';

export const redactorFor = ({ rooms, tab }: Call): Redactor =>
  tab ? rooms.redactor.forOrigins(listOrigins(tab)) : rooms.redactor;
