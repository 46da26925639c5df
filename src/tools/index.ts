// Every tool, in the order in which agents meet them.
import type { Tool } from '../toolkit/define-tool.ts';
import { handleDialog } from './act/handle-dialog.ts';
import { javascriptTool } from './act/javascript-tool.ts';
import { navigate } from './act/navigate.ts';
import { tabs } from './act/tabs.ts';
import { expandTools } from './harness/expand-tools.ts';
import { ocConnectionHealth } from './harness/oc-connection-health.ts';
import { ocJournal } from './harness/oc-journal.ts';
import { ocReapOrphans } from './harness/oc-reap-orphans.ts';
import { ocStop } from './harness/oc-stop.ts';
import { pageScreenshot } from './look/page-screenshot.ts';
import { tabsContext } from './look/tabs-context.ts';

export const TOOLS: readonly Tool[] = [
  navigate,
  tabsContext,
  tabs,
  pageScreenshot,
  javascriptTool,
  handleDialog,
  ocJournal,
  expandTools,
  ocConnectionHealth,
  ocStop,
  ocReapOrphans,
];
