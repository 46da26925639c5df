// Turns whatever happened into one reply: what failed is a structured failure, never a stack trace.
// Nothing else leaves unseen.
import { Failure, toFailure } from '../core/failure.ts';
import { toChromeFailure } from '../browser/cdp/errors.ts';
import { describeAnswered, describeDialog } from '../browser/tabs/dialog.ts';
import { noFindings, sanitiseData } from '../policy/sanitise.ts';
import type { Call, Step } from './call.ts';
import { redactorFor } from './redactor-for.ts';

export const answer: Step = async (call, next) => {
  const { log } = call.rooms;
  try {
    await next();
  } catch (error) {
    const failure = toFailure(toChromeFailure(error), (defect) => log.defect(defect));
    call.reply = {
      failure: new Failure(
        failure.code,
        sentence(clean(call, failure.message)),
        withoutGiants(clean(call, failure.details)),
      ),
      images: [],
      notes: [],
    };
  }
  nameDialogs(call);
  reportBlocked(call);
  if (call.reply) call.reply = { ...call.reply, notes: clean(call, call.notes) };
};

/** Messages quote arguments, which may be of any length. */
const MAX_MESSAGE_CHARS = 1000;

const sentence = (message: string): string =>
  message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message;

/** Details quote pages too: an address may have two megabytes. */
const MAX_DETAIL_CHARS = 4000;

const withoutGiants = <T extends object>(details: T): T =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' && value.length > MAX_DETAIL_CHARS
        ? `${value.slice(0, MAX_DETAIL_CHARS)}…`
        : value,
    ]),
  ) as T;

/** Whatever was asked, a page that waits for an answer is said to. */
const nameDialogs = (call: Call): void => {
  const { tab, notes } = call;
  for (const dialog of tab?.answeredDialogs ?? [])
    notes.push(`[${describeAnswered(withoutSecrets(call, dialog))}]`);
  tab?.answeredDialogs.clear();
  if (tab?.dialog)
    notes.push(
      `[${describeDialog(withoutSecrets(call, tab.dialog))}; answer it with handle_dialog]`,
    );
};

/**
 * More than a note shows of a dialog, so that a secret at the end of that part is still recognised.
 */
const MAX_DIALOG_CHARS = 10_000;

const withoutSecrets = <T extends { readonly message: string }>(call: Call, dialog: T): T => ({
  ...dialog,
  message: redactorFor(call).text(dialog.message.slice(0, MAX_DIALOG_CHARS)),
});

/** Popups and downloads that the page started without an action, beyond the limits. */
const reportBlocked = ({ tab, notes }: Call): void => {
  const report = tab?.allowance.takeReport();
  if (report !== undefined) notes.push(`[${report}]`);
};

/** Messages and notes quote pages too: dialogs, titles, addresses with tokens in them. */
const clean = <T>(call: Call, said: T): T => {
  const { rooms } = call;
  const seen = rooms.config.sanitizeContent ? sanitiseData(said, noFindings()) : said;
  return redactorFor(call).data(seen);
};
