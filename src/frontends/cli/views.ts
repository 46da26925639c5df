// The views of the command line by name: each renders the data of a reply as text for people.
import type { ViewName } from './command.ts';
import {
  renderClosedTab,
  renderNavigation,
  renderNetwork,
  renderTabs,
  renderValidation,
} from './page-views.ts';
import {
  renderCookies,
  renderDownloads,
  renderOutput,
  renderPageHtml,
  renderRecording,
  renderSavedFile,
  renderSessionChange,
  renderSessions,
  renderStorage,
  renderStorageEntry,
  renderTools,
  renderValue,
} from './state-views.ts';
import {
  renderJournal,
  renderTask,
  renderTaskEvents,
  renderTaskRow,
  renderTasks,
} from './task-views.ts';
import type { ViewContext } from './view-text.ts';

type RenderView = (data: never, context: ViewContext) => string;

export const VIEWS: Readonly<Record<ViewName, RenderView>> = {
  'call-list': renderJournal,
  'closed-tab': renderClosedTab,
  'cookie-list': renderCookies,
  'download-list': renderDownloads,
  'entry-list': renderStorage,
  navigation: renderNavigation,
  output: renderOutput,
  'page-html': renderPageHtml,
  recording: renderRecording,
  'request-list': renderNetwork,
  'saved-file': renderSavedFile,
  'session-change': renderSessionChange,
  'session-list': renderSessions,
  'storage-entry': renderStorageEntry,
  'tab-list': renderTabs,
  task: renderTask,
  'task-events': renderTaskEvents,
  'task-list': renderTasks,
  'task-row': renderTaskRow,
  'tool-list': renderTools,
  validation: renderValidation,
  value: renderValue,
};
