// Renders a validation as short JSON: a list of problems, then the facts about them.
import { listIf } from '../core/collections.ts';
import { compact, defined, ifDefined } from '../core/defined.ts';
import { textIf } from '../core/text.ts';

interface CountedValues {
  readonly count: number;
  readonly first: readonly unknown[];
}

interface ValidationData {
  readonly status?: number;
  readonly checks?: {
    readonly title: string;
    readonly lang: string;
    readonly description: string;
    readonly canonical: string;
    readonly hasViewport: boolean;
    readonly noindex: boolean;
    readonly h1: readonly string[];
    readonly images: number;
    readonly brokenImages: CountedValues;
    readonly withoutAlt: CountedValues;
    readonly withoutLabel: CountedValues;
    readonly withoutName: CountedValues;
    readonly duplicateIds: CountedValues;
  };
  readonly vitals?: { readonly lcp_ms?: number; readonly cls?: number; readonly inp_ms?: number };
  readonly consoleErrors: CountedValues;
  readonly consoleWarnings: number;
  readonly requests: number;
  readonly failedRequests: CountedValues;
}

interface LoadResult {
  readonly redirects?: readonly unknown[];
  readonly still_loading?: true;
  readonly dialog_opened?: true;
  readonly error?: string;
}

const some = (n: number, what: string): string[] =>
  listIf(n > 0, `${n} ${what}${textIf(n !== 1, 's')}`);

/** Values above these limits are rated poor. */
const POOR: readonly (readonly [
  name: 'lcp_ms' | 'cls' | 'inp_ms',
  limit: number,
  words: string,
])[] = [
  ['lcp_ms', 4000, 'slow largest paint'],
  ['cls', 0.25, 'layout shifts'],
  ['inp_ms', 500, 'slow response to input'],
];

const findProblems = (
  { status, checks, vitals, consoleErrors, failedRequests }: ValidationData,
  { error, still_loading }: LoadResult,
): string[] => [
  ...listIf(error, `not loaded: ${error}`),
  ...listIf(status !== undefined && status >= 400, `HTTP ${status}`),
  ...listIf(still_loading, 'still loading'),
  ...some(consoleErrors.count, 'console error'),
  ...some(failedRequests.count, 'failed request'),
  ...(checks ? pageProblems(checks) : []),
  ...POOR.filter(([name, limit]) => (vitals?.[name] ?? 0) > limit).map(([, , words]) => words),
];

const pageProblems = (checks: NonNullable<ValidationData['checks']>): string[] => [
  ...some(checks.brokenImages.count, 'broken image'),
  ...some(checks.withoutAlt.count, 'image').map((words) => `${words} without alt`),
  ...some(checks.withoutLabel.count, 'field').map((words) => `${words} without label`),
  ...some(checks.withoutName.count, 'control').map((words) => `${words} without name`),
  ...some(checks.duplicateIds.count, 'duplicate id'),
  ...listIf(checks.title.trim() === '', 'no title'),
  ...listIf(checks.lang === '', 'no lang'),
  ...listIf(checks.description === '', 'no meta description'),
  ...listIf(!checks.hasViewport, 'no meta viewport'),
  ...listIf(checks.h1.length === 0, 'no h1'),
  ...listIf(checks.h1.length > 1, 'several h1'),
  ...listIf(checks.noindex, 'noindex'),
];

/** Only lists that are not empty. */
const lists = (parts: Readonly<Record<string, CountedValues>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parts)
      .filter(([, { count }]) => count > 0)
      .map(([name, { count, first }]) => [name, count > first.length ? { count, first } : first]),
  );

export const renderValidation = (validation: ValidationData, load: LoadResult): object => {
  const { status, checks, vitals, consoleErrors, consoleWarnings, requests, failedRequests } =
    validation;
  const problems = findProblems(validation, load);
  return defined({
    ok: problems.length === 0,
    problems,
    load: defined({ status, ...load, requests }),
    ...lists({ console_errors: consoleErrors, failed_requests: failedRequests }),
    ...compact({ console_warnings: consoleWarnings }),
    ...(checks
      ? lists({
          broken_images: checks.brokenImages,
          images_without_alt: checks.withoutAlt,
          fields_without_label: checks.withoutLabel,
          controls_without_name: checks.withoutName,
          duplicate_ids: checks.duplicateIds,
        })
      : {}),
    page: ifDefined(checks, pageFacts),
    vitals,
  });
};

const pageFacts = ({
  lang,
  description,
  canonical,
  h1,
  images,
}: NonNullable<ValidationData['checks']>): object =>
  defined({
    ...compact({ lang }),
    description: description ? description.slice(0, 160) : undefined,
    ...compact({ canonical }),
    h1,
    images,
  });
