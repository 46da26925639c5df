// Keeps the replies of the last calls, so that viewers can read them.
import type { CallEntry } from '../../store/journal/journal.ts';
import type { EndedCall } from '../../toolkit/context.ts';

const MAX_CALLS = 300;
const MAX_CHARS = 20_000;
const MAX_TOTAL_CHARS = 1_000_000;

export interface KeptReply {
  readonly text: string;
  readonly notes: readonly string[];
  readonly images: number;
}

type CallIdentity = Pick<CallEntry, 'ts' | 'tool' | 'session' | 'durationMs'>;

export class RecentCalls {
  readonly #kept = new Map<string, KeptReply>();
  #chars = 0;

  add({ entry, reply }: EndedCall): void {
    const text = reply.failure ? JSON.stringify(reply.failure) : (reply.text ?? '');
    const cut = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
    this.#kept.set(formatCallIdentity(entry), {
      text: cut,
      notes: reply.notes,
      images: reply.images.length,
    });
    this.#chars += cut.length;
    for (const [key, old] of this.#kept) {
      if (this.#kept.size <= MAX_CALLS && this.#chars <= MAX_TOTAL_CHARS) break;
      this.#kept.delete(key);
      this.#chars -= old.text.length;
    }
  }

  find(entry: CallIdentity): KeptReply | undefined {
    return this.#kept.get(formatCallIdentity(entry));
  }
}

export const formatCallIdentity = ({ ts, tool, session, durationMs }: CallIdentity): string =>
  `${ts} ${tool} ${session} ${durationMs}`;
