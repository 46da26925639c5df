// The questions of the engine to its user, as the dashboard uses them: approvals and hand-offs.

interface QuestionFields {
  readonly id: string;
  readonly session: string;
  readonly tabId?: string | undefined;
  readonly url?: string | undefined;
  readonly since: number;
  readonly expiresAt: number;
  readonly pid: number;
}

export interface ApprovalQuestion extends QuestionFields {
  readonly kind: 'approval';
  readonly effect: string;
  readonly tool: string;
  readonly host: string;
  readonly summary: string;
}

export interface HandoffQuestion extends QuestionFields {
  readonly kind: 'handoff';
  readonly reason: string;
  readonly until?: string | undefined;
}

export interface KeptDecision {
  readonly id: string;
  readonly effect: string;
  readonly host: string;
  readonly tool?: string | undefined;
  readonly scope: string;
  readonly session?: string | undefined;
  readonly at: number;
  readonly by: string;
}

export interface UserQuestions {
  list(): Promise<readonly (ApprovalQuestion | HandoffQuestion)[]>;
  answer(
    id: string,
    answer: { readonly allow: boolean; readonly scope?: 'once' | 'session' | 'always' },
    by: 'dashboard',
  ): Promise<void>;
  finishHandoff(id: string, outcome: 'done' | 'cant', by: 'dashboard'): Promise<void>;
  approvals(): Promise<readonly KeptDecision[]>;
  revoke(id: string): Promise<unknown>;
}

/** An engine that can put questions to its user; without rules and hand-offs there are none. */
export interface AskingEngine {
  readonly waiting?: () => Promise<UserQuestions>;
}
