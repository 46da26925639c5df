// All tools, in the order of tools/list.
import type { Tool } from '../toolkit/define-tool.ts';
import { act } from './act/act.ts';
import { computer } from './act/computer.ts';
import { downloads } from './act/downloads.ts';
import { fillForm } from './act/fill-form.ts';
import { handleDialog } from './act/handle-dialog.ts';
import { interact } from './act/interact.ts';
import { javascriptTool } from './act/javascript-tool.ts';
import { navigate } from './act/navigate.ts';
import { tabs } from './act/tabs.ts';
import { waitFor } from './act/wait-for.ts';
import { crawlSitemap } from './gather/crawl-sitemap.ts';
import { crawl } from './gather/crawl.ts';
import { ocEvidenceBundle } from './gather/oc-evidence-bundle.ts';
import { extractData } from './gather/extract-data.ts';
import { recording } from './gather/recording.ts';
import { expectTool } from './program/expect.ts';
import { ocRecipe } from './program/oc-recipe.ts';
import { script } from './program/script.ts';
import { expandTools } from './server/expand-tools.ts';
import { ocConnectionHealth } from './server/oc-connection-health.ts';
import { ocHandoff } from './server/oc-handoff.ts';
import { ocJournal } from './server/oc-journal.ts';
import { ocOutputFetch } from './server/oc-output-fetch.ts';
import { ocReapOrphans } from './server/oc-reap-orphans.ts';
import { ocStop } from './server/oc-stop.ts';
import { ocTaskCancel } from './server/oc-task-cancel.ts';
import { ocTaskFinish } from './server/oc-task-finish.ts';
import { ocTaskGet } from './server/oc-task-get.ts';
import { ocTaskList } from './server/oc-task-list.ts';
import { ocTaskStart } from './server/oc-task-start.ts';
import { ocTaskUpdate } from './server/oc-task-update.ts';
import { ocTaskWait } from './server/oc-task-wait.ts';
import { find } from './look/find.ts';
import { inspect } from './look/inspect.ts';
import { pageContent } from './look/page-content.ts';
import { pageScreenshot } from './look/page-screenshot.ts';
import { readPage } from './look/read-page.ts';
import { tabsContext } from './look/tabs-context.ts';
import { consoleTool } from './traffic/console.ts';
import { network } from './traffic/network.ts';
import { validatePage } from './look/validate-page.ts';
import { httpAuth } from './traffic/http-auth.ts';
import { requestIntercept } from './traffic/request-intercept.ts';
import { pagePdf } from './look/page-pdf.ts';
import { emulate } from './state/emulate.ts';
import { cookies } from './state/cookies.ts';
import { ocSessionResume } from './state/oc-session-resume.ts';
import { ocSessionSnapshot } from './state/oc-session-snapshot.ts';
import { passkeys } from './state/passkeys.ts';
import { sessions } from './state/sessions.ts';
import { storage } from './state/storage.ts';
import { performance } from './traffic/performance.ts';

export const TOOLS: readonly Tool[] = [
  navigate,
  tabsContext,
  tabs,
  readPage,
  pageContent,
  inspect,
  validatePage,
  find,
  pageScreenshot,
  interact,
  fillForm,
  act,
  computer,
  javascriptTool,
  script,
  waitFor,
  expectTool,
  ocRecipe,
  handleDialog,
  network,
  extractData,
  crawl,
  crawlSitemap,
  recording,
  ocEvidenceBundle,
  ocSessionSnapshot,
  ocOutputFetch,
  ocTaskStart,
  ocTaskList,
  ocTaskGet,
  ocTaskUpdate,
  ocTaskFinish,
  ocTaskCancel,
  ocTaskWait,
  ocHandoff,
  ocJournal,
  expandTools,
  consoleTool,
  downloads,
  cookies,
  storage,
  sessions,
  passkeys,
  emulate,
  pagePdf,
  requestIntercept,
  httpAuth,
  performance,
  ocSessionResume,
  ocConnectionHealth,
  ocStop,
  ocReapOrphans,
];
