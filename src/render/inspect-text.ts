// Renders a focused page report: one short line per fact, without empty sections.

import { listIf } from '../core/collections.ts';
import { textIf } from '../core/text.ts';

interface InspectedLine {
  readonly ref: string;
  readonly role: string;
  readonly kind?: string;
  readonly name: string;
  readonly states: string;
  readonly value: string;
  readonly note?: string;
}

interface InspectReport {
  readonly element?: {
    readonly line: InspectedLine;
    readonly label: string;
    readonly matches: number;
    readonly text: string;
  };
  readonly focus?: InspectedLine | null;
  readonly forms?: readonly {
    readonly name: string;
    readonly fields: readonly InspectedLine[];
    readonly buttons: readonly InspectedLine[];
    readonly more: number;
  }[];
  readonly headings?: readonly { readonly level: number; readonly text: string }[] | undefined;
  readonly errors?: readonly InspectedLine[];
  readonly panels?: readonly InspectedLine[];
  readonly geometry?: readonly string[];
  readonly counts?: string;
  readonly listeners?: readonly {
    readonly type: string;
    readonly options: readonly string[];
    readonly handler: string;
  }[];
  readonly accessibility?: readonly string[];
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** `e12 textbox "Mail" required ="ada@" – message` */
const formatLine = ({ ref, role, kind, name, states, value, note }: InspectedLine): string =>
  [
    ref,
    kind ?? role,
    textIf(name !== '', quote(name)),
    states,
    textIf(value !== '', `=${quote(value)}`),
    textIf(note, `– ${note}`),
  ]
    .filter((part) => part !== '')
    .join(' ');

const section = (name: string, lines: readonly string[] | undefined, none: string): string[] => {
  if (!lines) return [];
  if (lines.length === 0) return [`${name}: ${none}`];
  return lines.length === 1
    ? [`${name}: ${lines[0]}`]
    : [`${name}:`, ...lines.map((line) => ` ${line}`)];
};

export const renderInspection = (report: InspectReport): string =>
  [
    ...elementLines(report),
    ...listIf(report.counts, `page: ${report.counts}`),
    ...(report.focus === undefined
      ? []
      : [`focus: ${report.focus ? formatLine(report.focus) : 'nothing'}`]),
    ...section('geometry', report.geometry && [report.geometry.join('; ')], ''),
    ...section('errors', report.errors?.map(formatLine), 'none shown'),
    ...section('panels', report.panels?.map(formatLine), 'none open'),
    ...formLines(report),
    ...section(
      'headings',
      report.headings?.map(
        ({ level, text }) => `${'#'.repeat(Math.min(Math.max(level, 1), 6))} ${text}`,
      ),
      'none',
    ),
    ...section(
      'listeners',
      report.listeners?.map(({ type, options, handler }) =>
        [type, textIf(options.length, `(${options.join(', ')})`), handler]
          .filter(Boolean)
          .join(' '),
      ),
      'none on the element itself',
    ),
    ...section('accessibility', report.accessibility && [report.accessibility.join('; ')], ''),
  ].join('\n');

const elementLines = ({ element }: InspectReport): string[] => {
  if (!element) return [];
  const { line, label, matches, text } = element;
  const more = textIf(matches > 1, ` (first of ${matches})`);
  return [
    `${formatLine(line)}${more}`,
    label,
    ...(text === '' || text === line.name ? [] : [`text: ${text}`]),
  ];
};

const formLines = ({ forms }: InspectReport): string[] => {
  if (!forms) return [];
  if (forms.length === 0) return ['forms: none'];
  return forms.flatMap(({ name, fields, buttons, more }) => [
    `form ${name === '' ? '(unnamed)' : quote(name)}:`,
    ...[...fields, ...buttons].map((line) => ` ${formatLine(line)}`),
    ...listIf(more > 0, ` … ${more} more fields`),
  ]);
};
