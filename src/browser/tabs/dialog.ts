// JavaScript dialogs (alert, confirm, prompt, beforeunload): at most one is open in a tab, and it blocks the page.
import type { Protocol } from 'devtools-protocol';
import { fail } from '../../core/failure.ts';
import type { CdpSession } from '../cdp/connection.ts';

export interface Dialog {
  readonly kind: Protocol.Page.DialogType;
  readonly message: string;
  readonly defaultPrompt?: string;
  readonly openedAt: number;
}

/** One line that names an open dialog. */
export const describeDialog = (dialog: Dialog): string => `${dialog.kind} dialog open: ${JSON.stringify(dialog.message.slice(0, 200))}`;

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
  await session.send('Page.handleJavaScriptDialog', { accept, ...(promptText === undefined ? {} : { promptText }) }, signal);
  return dialog;
};
