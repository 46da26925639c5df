// All verbs, in the order of the help, and the summaries of the command groups.
import { ACT_VERBS } from './act-verbs.ts';
import { LOOK_VERBS } from './look-verbs.ts';
import { PAGE_VERBS, SESSION_VERBS } from './page-verbs.ts';
import { TRAFFIC_VERBS } from './traffic-verbs.ts';
import type { Verb } from './verb.ts';
import { WORK_VERBS } from './work-verbs.ts';

export const VERBS: readonly Verb[] = [
  ...PAGE_VERBS,
  ...LOOK_VERBS,
  ...ACT_VERBS,
  ...TRAFFIC_VERBS,
  ...WORK_VERBS,
  ...SESSION_VERBS,
];

/** Summary of each command group that is not a command itself. */
export const GROUPS: Readonly<Record<string, string>> = {
  get: 'Print the text, url, title, html, value, attr or count',
  dialog: 'Answer the open dialog: dialog accept, dialog dismiss',
  daemon: 'The background process that runs Chrome for all commands',
  recipe: 'Replay recorded steps: recipe list, show, run, edit, export',
  record: 'Record a tab: record start, stop, list, open',
  output: 'Read stored results: output show, grep, query',
  call: 'Call any tool by its name, with JSON output',
  completion: 'Print the completion script for bash, zsh or fish',
  secrets: 'Hosts on whose pages a secret may be filled in',
};
