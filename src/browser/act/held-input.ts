// The keys and the mouse button that a caller holds down in a tab over several actions.
import { getOrCreate } from '../../core/collections.ts';
import type { Point } from '../../page/act/act-answers.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { Key } from './keys.ts';

export interface HeldInput {
  /** By code, in the order in which they were pressed. */
  readonly keys: Map<string, Key>;
  /** Whether the left mouse button is down. */
  isPressed: boolean;
  /** The last position of the mouse. */
  at?: Point;
}

const ofSession = new WeakMap<CdpSession, HeldInput>();

export const getHeldInput = (session: CdpSession): HeldInput =>
  getOrCreate(ofSession, session, () => ({ keys: new Map(), isPressed: false }));
