// A process of its own that writes to a journal: `node journal-writer.mjs FOLDER NAME COUNT`.
// Prints the written entries and the failures.
import { createLog } from '../../src/core/log.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { createPayloadWriter } from '../../src/store/files/payload-writer.ts';
import { openJournal } from '../../src/store/journal/journal.ts';

const [, , folder = '', name = '', count = '0'] = process.argv;
const journal = openJournal({
  folder,
  log: createLog({ level: 'warn' }),
  writer: createPayloadWriter(createRedactor([])),
});
for (let i = 0; i < Number(count); i++) {
  journal.append({
    ts: Date.now(),
    tool: name,
    session: 'default',
    args: { i, pad: 'x'.repeat(500) },
    durationMs: i,
    ok: true,
    summary: 'ok',
  });
  if (i % 50 === 0) process.stdout.write(`${i}\n`);
}
const { lost } = await journal.summary();
process.stdout.write(`lost ${lost}\n`);
