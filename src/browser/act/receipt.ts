// What an action did and what it was seen to cause, as data; its text is made in render/receipt.ts.

/** An element as the host knows it. */
export interface TargetName {
  readonly ref?: string;
  readonly role: string;
  readonly name: string;
}

export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  /** The HTTP status, or Chrome's name of what went wrong. */
  readonly status: number | string;
}

export interface Effects {
  /**
   * The address changed or is about to. `pending`: no answer yet. `loading`: the new page is there,
   * not all of it.
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
  /** Dialogs that the policy answered. */
  readonly answered?: readonly {
    readonly kind: string;
    readonly message: string;
    readonly accepted: boolean;
  }[];
  /** The page asked for a file. */
  readonly chooser?: true;
  readonly downloads?: readonly { readonly id: string; readonly file: string }[];
  readonly requests?: {
    readonly count: number;
    readonly pending: number;
    readonly failed: readonly FailedRequest[];
  };
  readonly announcements?: readonly { readonly role: string; readonly text: string }[];
  readonly invalid?: readonly { readonly field: TargetName; readonly message: string }[];
  readonly pageErrors?: readonly string[];
  /** What was put onto the clipboard. */
  readonly copied?: string;
  readonly changes?: number;
  /** States of the target that changed, in words. */
  readonly states?: readonly string[];
  readonly value?: string;
  /** The field that `value` is about, where the action named no target. */
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
  /** How long effects were waited for. */
  readonly waitedMs: number;
  /**
   * What was done is known for sure (it was read back, or was so before), so that it needs no
   * effect to show for it.
   */
  readonly sure?: true;
  /** Something about the way it was done that the host should know. */
  readonly remark?: string;
}

/** Nothing was seen to follow, nor is what was done known for sure. */
const hadNoEffect = ({ effects, sure }: Receipt): boolean =>
  !sure &&
  Object.values(effects).every(
    (effect) =>
      effect === undefined || effect === 0 || (Array.isArray(effect) && effect.length === 0),
  );

/** What tools that act return of it. */
interface Done {
  readonly receipt?: Receipt;
  readonly submitted?: Receipt;
  readonly receipts?: readonly { readonly receipt: Receipt }[];
}

/**
 * For the noEffect trait of tools that act: whether the last thing done had no effect that could be
 * seen.
 */
export const hasNoEffect = (data: unknown): boolean => {
  const { receipt, submitted, receipts } = data as Done;
  const last = receipt ?? submitted ?? receipts?.at(-1)?.receipt;
  return last !== undefined && hadNoEffect(last);
};
