// Who this server says it is, and what it can do, in either protocol.
import { VERSION } from '../../core/version.ts';
import { TASK_EXTENSION } from './task-extension.ts';

export const SERVER_INFO = { name: 'openchrome', title: 'OpenChrome', version: VERSION };

/** The lists never change while the server runs, so nothing is promised about changes. */
export const CAPABILITIES = { tools: {}, resources: {}, extensions: TASK_EXTENSION };
