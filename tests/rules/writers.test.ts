// Data reaches the disk only without secrets: payload stores clean it, and few files write.
import { describe, expect, it } from 'vitest';
import { shippedSources } from './sources.ts';

/** Functions that write to a file. */
const WRITES = new RegExp(
  `\\b(?:${[
    ...['appendLine', 'replaceFile', 'replaceFileBy', 'writeDurably', 'saveArchive', 'writeParts'],
    ...['writeFile', 'writeFileSync', 'writeSync', 'appendFile', 'appendFileSync'],
  ].join('|')})\\(`,
);

/** Payload folders: data of pages and of calls. */
const PAYLOADS =
  /^src\/(?:store\/(?:handles|tasks|journal|network|cluster)|features|pipeline|frontends)\//;

/** The files there that write, and the reason why their data has no secrets. */
const WRITERS: Readonly<Record<string, string>> = {
  'src/store/tasks/task-store.ts': 'cleans rows, events and partial results with its writer',
  'src/store/tasks/working-files.ts': 'cleans entries with its writer',
  'src/store/handles/handle-write.ts': 'writes views of replies, which the pipeline has cleaned',
  'src/features/evidence/bundle.ts': 'cleans the content of every file with its writer',
  'src/features/recording/assemble.ts': 'writes lines that were cleaned when they were kept',
  'src/features/network/export-har.ts': 'writes requests that redact-captured.ts has cleaned',
};

/** Stores that must clean what they are given. */
const CLEANING = [
  'src/store/tasks/task-store.ts',
  'src/store/tasks/working-files.ts',
  'src/store/cluster/cluster-tasks.ts',
  'src/store/cluster/cluster-lines.ts',
  'src/store/journal/journal.ts',
  'src/features/evidence/bundle.ts',
  'src/features/network/redact-captured.ts',
  'src/features/recording/kept-lines.ts',
  'src/features/recording/record.ts',
];

/** Only these features may use a redactor: to compare, to choose, to rehearse, or for a reply. */
const REDACTS = [
  'src/features/crawl/run-crawl.ts',
  'src/features/crawl/sitemap-crawl.ts',
  'src/features/evidence/bundle.ts',
  'src/features/evidence/parts.ts',
  'src/features/network/find-request.ts',
  'src/features/network/rehearse-listing.ts',
  'src/features/observe/observer.ts',
  'src/features/recording/recorder.ts',
  'src/features/session/read-tab.ts',
  'src/features/session/session-snapshot.ts',
];

const find = (pattern: RegExp): string[] =>
  shippedSources()
    .filter(({ path, text }) => PAYLOADS.test(path) && pattern.test(text))
    .map(({ path }) => path)
    .sort();

/** These write the configuration of hosts and the files of the daemon, never data of pages. */
const SETTINGS = /^src\/(?:features\/setup|frontends)\//;

describe('payloads', () => {
  it('are written only by the listed files', () => {
    expect(find(WRITES).filter((path) => !SETTINGS.test(path))).toEqual(
      Object.keys(WRITERS).sort(),
    );
  });

  it('are cleaned by the stores that write them', () => {
    const cleaning = find(/\bwriter\.clean/).filter((path) => CLEANING.includes(path));
    expect(cleaning).toEqual(CLEANING.toSorted());
  });

  it('are redacted by no other feature or store', () => {
    const found = find(/\bredactor\.(?:text|data|largeText|largeData)\(/i);
    expect(found.filter((path) => !/^src\/(?:pipeline|frontends)\//.test(path))).toEqual(REDACTS);
  });

  it('would be reported if another file wrote them', () => {
    expect(WRITES.test('await replaceFile(path, JSON.stringify(data));')).toBe(true);
    expect(WRITES.test('await tasks.start(request);')).toBe(false);
  });
});
