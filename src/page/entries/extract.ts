// Collects the data of a page: JSON-LD, microdata, tables, lists and repeated structures.
import { ifDefined } from '../objects.ts';
import { query, queryAll } from '../safe-dom.ts';
import type { ExtractAnswer, NoSubject } from '../read-answers.ts';
import { buildGroup, readGroups, readPairs, readTables } from '../extract/tables.ts';
import { collectLeaves } from '../extract/leaves.ts';
import { readJsonLd, readMeta, readMicrodata } from '../extract/linked-data.ts';
import { deepQueryAll, documentTitle, findSubject, isNoSubject } from '../selectors.ts';
import { implement, type ExtractRequest } from '../page-functions.ts';

const MAX_MATCHES = 5000;
const MAX_WHOLE = 1500;

const read = ({ subject, multiple }: ExtractRequest): ExtractAnswer | NoSubject => {
  const found = ifDefined(subject, findSubject);
  if (found && isNoSubject(found)) return found;
  const scope = found ?? document;
  const main =
    found ?? query(document, 'main, [role="main"]') ?? document.body ?? document.documentElement;
  const named =
    multiple && subject?.selector !== undefined
      ? deepQueryAll(subject.selector, MAX_MATCHES).elements
      : [];
  // If the selector matches several elements, they are the records.
  const collectGroups = (): ReturnType<typeof readGroups> =>
    named.length > 1 ? [buildGroup(subject?.selector ?? '', named)] : readGroups(scope);
  return {
    title: documentTitle(),
    url: location.href,
    jsonLd: readJsonLd(scope),
    microdata: readMicrodata(scope),
    meta: found ? {} : readMeta(),
    tables: readTables(scope, found),
    pairs: readPairs(scope, found),
    groups: multiple ? collectGroups() : [],
    whole: multiple ? [] : collectLeaves(main, MAX_WHOLE),
    truncated: queryAll(scope, '*').length > 60_000,
  };
};

export const functions = implement('extract', { read });
