// JavaScript dialogs (alert, confirm, prompt, beforeunload); one at a time blocks the page.
import type { Protocol } from 'devtools-protocol';
import { defined, valueIf } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import type { CdpSession } from '../cdp/connection.ts';

export interface Dialog {
  readonly kind: Protocol.Page.DialogType;
  readonly message: string;
  readonly defaultPrompt?: string;
  readonly openedAt: number;
}

/** What happens with a dialog: it waits for an answer (`ask`), or is answered at once. */
export const DIALOG_POLICIES = ['ask', 'accept', 'dismiss'] as const;
export type DialogPolicy = (typeof DIALOG_POLICIES)[number];

/** A dialog that the policy answered. */
export interface AnsweredDialog {
  readonly kind: Dialog['kind'];
  readonly message: string;
  readonly accepted: boolean;
}

const quoteMessage = (message: string): string => JSON.stringify(message.slice(0, 200));

/** One line that names an open dialog. */
export const describeDialog = ({ kind, message }: Dialog): string =>
  `${kind} dialog open: ${quoteMessage(message)}`;

/** One line that names a dialog that the policy answered. */
export const describeAnswered = ({ kind, message, accepted }: AnsweredDialog): string =>
  `${kind} dialog ${quoteMessage(message)} was ${accepted ? 'accepted' : 'dismissed'}`;

/** `beforeunload` is always accepted, because otherwise the tab could not leave the page. */
export const acceptsByPolicy = (policy: Exclude<DialogPolicy, 'ask'>, { kind }: Dialog): boolean =>
  policy === 'accept' || kind === 'beforeunload';

/** A prompt that is accepted without a text keeps its default text, as in a browser window. */
const buildAnswer = (
  { kind, defaultPrompt = '' }: Dialog,
  accept: boolean,
  promptText = defaultPrompt,
): Protocol.Page.HandleJavaScriptDialogRequest =>
  defined({
    accept,
    promptText: valueIf(accept && kind === 'prompt', promptText),
  });

export const answerByPolicy = (
  session: CdpSession,
  dialog: Dialog,
  accept: boolean,
): Promise<unknown> => session.send('Page.handleJavaScriptDialog', buildAnswer(dialog, accept));

interface DialogAnswer {
  readonly accept: boolean;
  readonly promptText?: string;
}

export const answerDialog = async (
  session: CdpSession,
  dialog: Dialog | undefined,
  { accept, promptText }: DialogAnswer,
  signal: AbortSignal,
): Promise<Dialog> => {
  if (!dialog) throw fail('no_dialog', 'No dialog is open in this tab.');
  await session.send(
    'Page.handleJavaScriptDialog',
    buildAnswer(dialog, accept, promptText),
    signal,
  );
  return dialog;
};

/** The error of calls that cannot run until the dialog is answered. */
export const dialogOpenFailure = (dialog: Dialog): Failure =>
  fail('dialog_open', `The page is blocked by a dialog: ${describeDialog(dialog)}.`, {
    dialog: { kind: dialog.kind, message: dialog.message.slice(0, 1000) },
  });
