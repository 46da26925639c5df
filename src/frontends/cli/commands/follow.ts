// `--follow`: prints new items as JSON lines until interrupted; the server waits, without polling.
import { defined } from '../../../core/defined.ts';
import type { DaemonClient } from '../client.ts';
import type { CliContext, ToolCommand } from '../command.ts';
import { printFailureText } from '../failures.ts';

/** How long the server waits in one call; then the next call is sent. */
const WAIT_MS = 25_000;

type FollowedItem = Readonly<Record<string, unknown>>;

export const follow = async (
  client: DaemonClient,
  { tool, follows }: ToolCommand,
  given: Record<string, unknown>,
  { terminal }: CliContext,
  signal: AbortSignal,
): Promise<number> => {
  if (!follows) throw new Error(`${tool} cannot be followed`);
  // Without `limit`: longer replies name the origin only once, but each line must be complete.
  const { limit: _, ...args } = given;
  let cursor = args['cursor'];
  for (;;) {
    const asked = defined({ ...args, [follows.wait]: WAIT_MS, cursor });
    const { content, isError } = await client.callTool(tool, asked, { signal });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '{}';
    if (isError) return printFailureText(text, terminal, { format: 'json' });
    const reply = JSON.parse(text) as FollowedItem;
    for (const item of reply[follows.items] as readonly FollowedItem[])
      if (isTold(item)) terminal.out(JSON.stringify(item));
    cursor = reply['cursor'];
  }
};

/** Requests are printed when they have ended; event streams and sockets when they have begun. */
const isTold = ({ state, ct, url }: FollowedItem): boolean =>
  state === undefined ||
  (state === 'receiving' && (ct === 'text/event-stream' || /^wss?:/.test(String(url))));
