// The data that the dashboard's server sends to its page and receives from it. Both sides use it.
import type { UserInput } from '../../core/user-input.ts';
import type { TabView } from '../../features/observe/tab-view.ts';

/** A line of the journal: a finished call (`tool`) or an event. */
export interface CallRow {
  /** The position of the line in the journal. */
  readonly id: string;
  readonly ts: number;
  readonly tool?: string;
  readonly event?: string;
  readonly session?: string;
  readonly tabId?: string;
  /** The argument that names the target, such as a URL or a ref. */
  readonly target?: string;
  readonly ms?: number;
  readonly tokens?: number;
  readonly ok?: boolean;
  readonly code?: string;
  /** The receipt, the failure, or the beginning of the reply. */
  readonly summary?: string;
  /** The task that the call was counted against. */
  readonly taskId?: string;
}

/** Identifies a call on both sides, also before its line is in the journal. */
export const formatCallKey = ({ ts, tool, session, ms }: CallRow): string =>
  `${ts} ${tool} ${session} ${ms}`;

export interface CallDetail extends CallRow {
  readonly args: unknown;
  /** The reply of the call, if this server still has it. */
  readonly reply?: string;
  readonly notes?: readonly string[];
  readonly images?: number;
}

export interface CallPage {
  /** Oldest first. */
  readonly rows: readonly CallRow[];
  /** Where the next older page continues; undefined if there is none. */
  readonly older?: string;
}

export interface TaskItem {
  readonly id: string;
  readonly kind: string;
  readonly status: 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly session: string;
  readonly created: number;
  readonly started?: number;
  readonly ended?: number;
  readonly progress?: { readonly done: number; readonly total?: number; readonly message: string };
  readonly error?: { readonly code: string; readonly message: string };
  readonly cancelling?: true;
  readonly hasResult?: true;
  readonly canResume?: true;
  /** One line about the arguments, or the objective of the host's own task. */
  readonly about: string;
}

export interface CrawlPageRow {
  readonly url: string;
  readonly title: string;
  readonly depth: number;
  readonly status?: number;
  readonly error?: string;
  readonly via: string;
}

export interface TaskDetail extends TaskItem {
  readonly args: unknown;
  readonly events: readonly {
    readonly ts: number;
    readonly kind: string;
    readonly data?: unknown;
  }[];
  readonly pages: readonly CrawlPageRow[];
  /** Pages that are not listed, because there are too many. */
  readonly morePages: number;
  /** Signed links to pages of the task, by their text. */
  readonly links: Readonly<Record<string, string>>;
  readonly budget?: Readonly<Record<string, unknown>>;
}

export interface RequestItem {
  readonly key: string;
  readonly startedAt: number;
  readonly method: string;
  readonly url: string;
  readonly resourceType: string;
  readonly state: string;
  readonly status?: number;
  readonly contentType: string;
  readonly size: number;
  readonly transferred: number;
  readonly from?: string;
  readonly error?: string;
  readonly ttfbMs?: number;
  readonly durationMs?: number;
  readonly phases?: {
    readonly blockedMs: number;
    readonly dnsMs?: number;
    readonly connectMs?: number;
    readonly tlsMs?: number;
    readonly sendMs: number;
    readonly waitMs: number;
  };
}

export interface RequestPage {
  readonly requests: readonly RequestItem[];
  /** A signed link to the HAR log of the tab. */
  readonly har: string;
}

export interface RequestDetail extends RequestItem {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: string;
  readonly body?: string;
  readonly bodyNote?: string;
  readonly shape?: Readonly<Record<string, string>>;
  readonly curl: string;
}

/** Resources of the server and of Chrome at one time. */
export interface SampleRow {
  readonly ts: number;
  /** Longest delay of the event loop since the last sample, in milliseconds. */
  readonly delayMs: number;
  readonly serverMb: number;
  readonly chromeMb?: number;
}

/** The calls of a tool in one interval of the last hour. */
export interface UsageBucket {
  readonly ts: number;
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
  readonly tokens: Readonly<Record<string, number>>;
}

/** A process of the cluster. */
export interface WorkerRow {
  readonly id: string;
  readonly role: string;
  readonly host: string;
  readonly pid: number;
  readonly slots: number;
  readonly visits: number;
  readonly pages: number;
  readonly errors: number;
  /** Ids of the tasks that it leads. */
  readonly tasks: readonly string[];
}

export interface HealthRow {
  readonly chrome: string;
  readonly product?: string;
  readonly guard?: string;
  readonly starts: number;
  readonly lastExit?: string;
  readonly startedAt: number;
  readonly pid: number;
}

export type ApprovalScopeName = 'once' | 'session' | 'always';

/** A hand-off, an approval, an open dialog or a hung page. */
export interface WaitingRow {
  readonly id: string;
  readonly kind: 'handoff' | 'approval' | 'dialog' | 'hung';
  readonly session: string;
  readonly tabId?: string;
  readonly url?: string;
  readonly since: number;
  readonly expiresAt?: number;
  /** One line for the user. It can contain text of the model or of a page. */
  readonly text: string;
  /** The arguments of the call, without secrets. */
  readonly detail?: string;
  readonly effect?: string;
  readonly tool?: string;
  readonly host?: string;
  readonly until?: string;
  readonly dialogKind?: string;
  readonly defaultPrompt?: string;
  /** The call waits in another server of this home. */
  readonly elsewhere?: true;
  /** The server of this hand-off ended while it waited: it can be continued. */
  readonly interrupted?: true;
}

export interface DecisionRow {
  readonly id: string;
  readonly effect: string;
  readonly host: string;
  readonly tool?: string;
  readonly scope: string;
  readonly session?: string;
  readonly at: number;
  readonly by: string;
}

export interface StateMessage {
  readonly version: string;
  readonly readonly: boolean;
  readonly now: number;
  readonly calls: CallPage;
  /** Where the feed of events starts. */
  readonly position: string;
  readonly tabs: readonly TabView[];
  readonly tasks: readonly TaskItem[];
  readonly waiting: readonly WaitingRow[];
  readonly decisions: readonly DecisionRow[];
  readonly health: HealthRow;
  /** The keys of calls with a picture: `formatCallKey` builds them from a row. */
  readonly thumbnails: readonly string[];
}

/** The events of `/dashboard/events`, by name. */
export interface FeedEvents {
  readonly calls: { readonly rows: readonly CallRow[]; readonly gap?: true };
  readonly tabs: readonly TabView[];
  /** New and changed tasks. */
  readonly tasks: readonly TaskItem[];
  readonly waiting: readonly WaitingRow[];
  readonly decisions: readonly DecisionRow[];
  readonly sample: SampleRow;
  /** The key of a call that has a picture now. */
  readonly thumbnail: string;
  readonly health: HealthRow;
}

/** The body of `POST /dashboard/action`. */
export type DashboardAction =
  | { readonly type: 'cancel-task'; readonly id: string }
  | { readonly type: 'resume-task'; readonly id: string }
  | {
      readonly type: 'answer-approval';
      readonly id: string;
      readonly allow: boolean;
      readonly scope?: ApprovalScopeName;
    }
  | { readonly type: 'finish-handoff'; readonly id: string; readonly outcome: 'done' | 'cant' }
  | { readonly type: 'continue-handoff'; readonly id: string }
  | { readonly type: 'dismiss-handoff'; readonly id: string }
  | { readonly type: 'revoke-approval'; readonly id: string }
  | {
      readonly type: 'answer-dialog';
      readonly tabId: string;
      readonly accept: boolean;
      readonly text?: string;
    };

/** A rectangle in CSS pixels of the page's viewport. */
export interface AreaRow {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The header of a binary message of `/dashboard/live`; the JPEG follows it. */
export interface FrameHeader {
  readonly tabId: string;
  readonly n: number;
  /** Size of the page's viewport in CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Fields with secrets, which the server has painted over. */
  readonly secrets: readonly AreaRow[];
}

/** Text messages of `/dashboard/live` to the page. */
export type LiveMessage =
  | { readonly type: 'welcome'; readonly viewer: string }
  | {
      readonly type: 'aim';
      readonly tabId: string;
      readonly label: string;
      readonly area?: AreaRow;
      readonly point?: { readonly x: number; readonly y: number };
    }
  | {
      readonly type: 'control';
      readonly tabId: string;
      readonly state: 'pending' | 'active' | 'ended';
      readonly viewer: string;
      readonly why?: string;
      readonly chooser?: { readonly multiple: boolean };
    }
  | { readonly type: 'error'; readonly message: string; readonly tabId?: string };

/** Text messages of `/dashboard/live` from the page. */
export type ViewerMessage =
  | { readonly type: 'watch'; readonly tabs: readonly string[]; readonly width: number }
  | { readonly type: 'ack'; readonly tabId: string; readonly n: number }
  | { readonly type: 'take-over'; readonly tabId: string }
  | { readonly type: 'give-back'; readonly tabId: string }
  | { readonly type: 'input'; readonly tabId: string; readonly input: UserInput };

/** The header of a binary message from the page: files for an open file chooser. */
export interface FilesHeader {
  readonly tabId: string;
  readonly files: readonly { readonly name: string; readonly size: number }[];
}
