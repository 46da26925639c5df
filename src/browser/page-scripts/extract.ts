// Everything on a page that may be a record: data for machines, tables, lists, repeated structure.
import { query, queryAll } from './dom.ts';
import type { ExtractAnswer } from './extract/answers.ts';
import { groupOf, readGroups } from './extract/groups.ts';
import { leavesOf } from './extract/leaves.ts';
import { readJsonLd, readMeta, readMicrodata } from './extract/linked-data.ts';
import { readPairs, readTables } from './extract/tables.ts';
import type { NoSubject, Subject } from './look-answers.ts';
import { deepQueryAll, documentTitle, findSubject, isNoSubject } from './subject.ts';

interface ExtractOptions {
  readonly subject?: Subject;
  readonly multiple: boolean;
}

const MAX_MATCHES = 5000;
const MAX_WHOLE = 1500;

export const read = ({ subject, multiple }: ExtractOptions): ExtractAnswer | NoSubject => {
  const found = subject ? findSubject(subject) : undefined;
  if (found && isNoSubject(found)) return found;
  const scope = found ?? document;
  const main = found ?? query(document, 'main, [role="main"]') ?? document.body ?? document.documentElement;
  const named = multiple && subject?.selector !== undefined ? deepQueryAll(subject.selector, MAX_MATCHES).elements : [];
  return {
    title: documentTitle(),
    url: location.href,
    jsonLd: readJsonLd(scope),
    microdata: readMicrodata(scope),
    meta: found ? {} : readMeta(),
    tables: readTables(scope, found),
    pairs: readPairs(scope, found),
    // A selector that matches several elements names the records themselves.
    groups: !multiple ? [] : named.length > 1 ? [groupOf(subject?.selector ?? '', named)] : readGroups(scope),
    whole: multiple ? [] : leavesOf(main, MAX_WHOLE),
    truncated: queryAll(scope, '*').length > 60_000,
  };
};
