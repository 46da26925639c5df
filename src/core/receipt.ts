// The receipt of an action and its observed effects, as data. render/receipt.ts formats the text.
/** An element as the client knows it. */
export interface TargetName {
  readonly ref?: string;
  readonly role: string;
  readonly name: string;
}

export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  /** The HTTP status, or Chrome's error name. */
  readonly status: number | string;
}

export interface Effects {
  /**
   * The URL changed or is about to. `pending`: no response yet. `loading`: the new document is not
   * complete yet.
   */
  readonly url?: {
    readonly from: string;
    readonly to: string;
    readonly state?: 'pending' | 'loading' | 'failed';
    readonly error?: string;
    /** The new document is a PDF in Chrome's viewer. */
    readonly pdf?: true;
  };
  readonly reloaded?: true;
  readonly newTabs?: readonly { readonly tabId: string; readonly url: string }[];
  readonly tabClosed?: true;
  readonly dialog?: { readonly kind: string; readonly message: string };
  /** Dialogs that the dialog policy answered. */
  readonly answered?: readonly {
    readonly kind: string;
    readonly message: string;
    readonly accepted: boolean;
  }[];
  /** The page opened a file chooser. */
  readonly chooser?: true;
  readonly downloads?: readonly { readonly id: string; readonly file: string }[];
  readonly requests?: {
    readonly count: number;
    readonly pending: number;
    readonly failed: readonly FailedRequest[];
    /** Requests of the page that may change data on the server. */
    readonly changing?: number;
  };
  readonly announcements?: readonly { readonly role: string; readonly text: string }[];
  readonly invalid?: readonly { readonly field: TargetName; readonly message: string }[];
  readonly pageErrors?: readonly string[];
  /** The text that was put onto the clipboard. */
  readonly copied?: string;
  readonly changes?: number;
  /** Changed states of the target, as words. */
  readonly states?: readonly string[];
  readonly value?: string;
  /** The field whose value is `value`, if the action had no target. */
  readonly field?: TargetName;
  readonly focused?: true;
  readonly focus?: TargetName;
  readonly scrolledTo?: { readonly x: number; readonly y: number };
}

export interface Receipt {
  /** In the past tense: clicked, typed, chose "Norway" in. */
  readonly did: string;
  readonly target?: TargetName;
  readonly effects: Effects;
  /** How long the action waited for effects. */
  readonly waitedMs: number;
  /** The result was verified (read back, or already so before), so no visible effect is needed. */
  readonly sure?: true;
  /** A note for the client about how the action was done. */
  readonly remark?: string;
  /** How a renamed element of an earlier run was found. */
  readonly healed?: string;
}

/** No effect was observed, and the result was not verified. */
const isNone = (effect: unknown): boolean =>
  Array.isArray(effect) ? effect.length === 0 : NO_EFFECTS.has(effect);

const NO_EFFECTS = new Set<unknown>([undefined, 0]);

const hadNoEffect = ({ effects, sure }: Receipt): boolean =>
  !sure && Object.values(effects).every(isNone);

/** The receipts in the data of an acting tool, and the page after its actions. */
export interface ActionData {
  readonly receipt?: Receipt | undefined;
  readonly submitted?: Receipt | undefined;
  readonly receipts?: readonly { readonly receipt: Receipt }[];
  readonly after?: { readonly mode: 'ax' | 'diff' };
}

export const findLastReceipt = ({
  receipt,
  submitted,
  receipts,
}: ActionData): Receipt | undefined => receipt ?? submitted ?? receipts?.at(-1)?.receipt;

/** For the noEffect trait of acting tools: whether the last action had no visible effect. */
export const hasNoEffect = (data: ActionData): boolean => {
  const last = findLastReceipt(data);
  return last !== undefined && hadNoEffect(last);
};
