// The names of all MCP methods; apart from methods.ts, which loads the code of tools.
import { WATCH_METHOD } from './protocol.ts';

/** Methods about stored data: their code is loaded by the first request. */
export const STORED_METHODS = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  WATCH_METHOD,
] as const;

export const TASK_METHODS = ['tasks/get', 'tasks/cancel', 'tasks/update'] as const;

export const METHOD_NAMES = [
  'tools/list',
  'tools/call',
  ...STORED_METHODS,
  ...TASK_METHODS,
] as const;

/** The key of the extension for long-running tools. */
export const TASK_EXTENSION_NAME = 'io.modelcontextprotocol/tasks';
