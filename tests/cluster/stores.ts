// Opens stores of a cluster in tests, as members with ids of their own.
import { createLog } from '../../src/core/log.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { openCluster } from '../../src/store/cluster/open-cluster.ts';
import type { ClusterStore, MemberRole } from '../../src/store/cluster/cluster-store.ts';
import { createPayloadWriter } from '../../src/store/files/payload-writer.ts';
import type { TaskChange } from '../../src/store/tasks/task-ledger.ts';

const lines: string[] = [];
export const testLog = createLog({
  level: (process.env['OPENCHROME_TEST_LOG'] as 'debug' | undefined) ?? 'error',
  write: (line) => {
    lines.push(line);
    if (process.env['OPENCHROME_TEST_LOG'] !== undefined) process.stderr.write(line);
  },
});

export const LIMITS = 'no-limits';

interface StoreOptions {
  readonly role?: MemberRole;
  /** False for a process that only reads, such as `openchrome tasks list`. */
  readonly join?: boolean;
}

export const openStore = async (
  url: string,
  { role = 'worker', join = true }: StoreOptions = {},
): Promise<ClusterStore> => {
  const connection = await openCluster({ url, log: testLog });
  const store = connection.createStore({
    writer: createPayloadWriter(createRedactor()),
    log: testLog,
    role,
    slots: role === 'worker' ? 4 : 0,
    report: () => ({ limits: '', visits: 0, tasks: [], pages: 0, errors: 0, rssBytes: 1 }),
  });
  if (join) await store.members.join(new AbortController().signal);
  return store;
};

/** The first row of a task of this process. */
export const buildTask =
  (store: ClusterStore, kind = 'crawl') =>
  (id: string): TaskChange => ({
    meta: {
      task_id: id,
      kind,
      status: 'PENDING',
      session: 'default',
      ...store.owners.ownFields(),
      created_at: Date.now(),
      args_summary: {},
    },
    event: { ts: Date.now(), kind: 'started' },
  });

export const submitted = {
  arguments: { url: 'http://a.test/' },
  session: 'default',
  limits: LIMITS,
};
