// Gives files to a page: into a file field, through a file chooser, or dropped onto an element.
import { fail } from '../../core/failure.ts';
import { Deadline } from '../../core/time.ts';
import type { Point } from '../../page/act/act-answers.ts';
import { createFormField, giveFiles, requireFieldValue } from './fill.ts';
import { clickEvents, sendMouse } from './mouse.ts';
import { perform, type ActionContext } from './perform.ts';
import { type Reached, reachIn } from './reach.ts';
import type { Receipt } from '../../core/receipt.ts';
import type { ActionTarget } from './elements.ts';
import { toTexts, type WantedValue } from './field-values.ts';

/** How long a press may take to open a file chooser. */
const CHOOSER_MS = 2000;
const NEEDED = 'Name the file field, or the button that opens a file chooser.';

export const upload = (
  context: ActionContext,
  target: ActionTarget,
  paths: WantedValue,
): Promise<Receipt> => {
  const files = toTexts(paths);
  return perform(context, {
    did: `uploaded ${files.length === 1 ? 'a file' : `${files.length} files`} to`,
    target,
    // File fields are often hidden, with a styled button in front of them.
    needs: { needs: { hidden: true, enabled: true }, purpose: 'file', reads: true },
    input: (reached) =>
      reached.ready.field === 'file'
        ? giveFiles(context, createFormField(reached), files)
        : throughChooser(context, reached, files),
    settling: 'frame',
    verify: (reached, { held }) => {
      if (reached.ready.field === 'file' && held !== undefined)
        requireFieldValue(createFormField(reached), files, held);
    },
  });
};

/** Drops files onto an element, as if they were dragged from a file manager. */
export const dropFiles = (
  context: ActionContext,
  target: ActionTarget,
  paths: WantedValue,
): Promise<Receipt> => {
  const given = toTexts(paths);
  return perform(context, {
    did: `dropped ${given.length === 1 ? 'a file' : `${given.length} files`} on`,
    target,
    needs: { needs: { pointer: true } },
    input: async ({ point: { x, y } }) => {
      const { tab, signal, allowFile } = context;
      const files = await Promise.all(given.map(allowFile));
      const data = { items: [], files, dragOperationsMask: COPY };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await tab.cdp.send('Input.dispatchDragEvent', { type, x, y, data }, signal);
    },
    settling: 'frame',
  });
};

/** The bit of the copy operation in Chrome's drag data. */
const COPY = 1;

const throughChooser = async (
  context: ActionContext,
  { frame, ready, target }: Reached,
  paths: readonly string[],
): Promise<void> => {
  const { tab, signal, allowFile } = context;
  const files = await Promise.all(paths.map(allowFile));
  const point: Point = await reachIn(
    tab,
    frame,
    ready.element.id,
    { needs: { pointer: true, enabled: true }, within: ready.watch, patienceMs: context.reachMs },
    signal,
  );
  await frame.session.send('Page.setInterceptFileChooserDialog', { enabled: true }, signal);
  try {
    using limit = new Deadline(
      CHOOSER_MS,
      () =>
        fail('not_editable', `${target.ref} ${target.role} did not open a file chooser.`, {
          ref: target.ref,
          hint: NEEDED,
        }),
      signal,
    );
    const opened = frame.session.next('Page.fileChooserOpened', limit.signal);
    opened.catch(() => {});
    await sendMouse(tab.cdp, clickEvents(point), signal);
    const { backendNodeId } = await opened;
    if (backendNodeId === undefined)
      throw fail('not_editable', 'The file chooser does not belong to a field of the page.');
    await frame.session.send('DOM.setFileInputFiles', { files, backendNodeId }, signal);
  } finally {
    await frame.session
      .send('Page.setInterceptFileChooserDialog', tab.chooser, signal)
      .catch(() => {});
  }
};
