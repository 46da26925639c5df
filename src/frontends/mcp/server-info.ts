// The server's name, version and capabilities, for both protocols.
import { VERSION } from '../../core/version.ts';
import { TASK_EXTENSION } from './task-extension.ts';

export const SERVER_INFO = { name: 'openchrome', title: 'OpenChrome', version: VERSION };

/** The lists never change while the server runs, so `listChanged` is not declared. */
export const CAPABILITIES = { tools: {}, resources: {}, extensions: TASK_EXTENSION };
