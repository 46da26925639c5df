// Prints a tool's result: text or JSON on stdout, images as files, notes on stderr.
import { attempt } from '../../core/attempt.ts';
import { listDefined } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { isObject } from '../../core/json.ts';
import type { ReplyFacts } from '../../pipeline/call.ts';
import { FACTS_KEY } from '../mcp/client-facts.ts';
import type { OutputFormat } from './cli-options.ts';
import type { ContentBlock, ToolAnswer } from './client.ts';
import type { ElementFactName, TabFact, ToolCommand } from './command.ts';
import { printFailureText, shortenTabIds } from './failures.ts';
import type { Terminal } from './terminal.ts';
import { isRecord, renderData, type ViewContext } from './view-text.ts';
import { VIEWS } from './views.ts';

const INDENT = '  ';

/** `columns`: the maximum width of a line. */
export const renderJson = (value: unknown, columns: number, indent = ''): string => {
  const line = oneLine(value);
  if (!isNested(value) || indent.length + line.length <= columns) return line;
  const inner = indent + INDENT;
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((item) => renderJson(item, columns, inner))]
    : [
        '{',
        '}',
        Object.entries(value).map(
          ([name, item]) => `${JSON.stringify(name)}: ${renderJson(item, columns, inner)}`,
        ),
      ];
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
};

const isNested = (value: unknown): value is object =>
  isObject(value) && Object.keys(value).length > 0;

const oneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
};

export type Picture = Extract<ContentBlock, { readonly type: 'image' }>;

export interface SavedPicture {
  readonly path: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

export interface PrintOptions {
  readonly terminal: Terminal;
  /** json: everything as JSON. text: everything as text. Absent: as the command prints it. */
  readonly format: OutputFormat | undefined;
  readonly command: ToolCommand;
  /** The call requests a text format of the tool, such as lines: the text is printed unchanged. */
  readonly asWritten?: boolean;
  /** The tab that `tabFact` is about. Absent: the current tab of the session. */
  readonly tabId?: unknown;
  /** The element that `elementFact` is about. */
  readonly target?: string | undefined;
  /** Images are written to files, never to the terminal. */
  readonly savePicture: (picture: Picture) => Promise<SavedPicture>;
  /** Draws a saved picture in the terminal, for `--show`. */
  readonly showPicture?: ((path: string) => Promise<void>) | undefined;
}

/** The exit status if the call worked, but the answer is no. */
const NEGATIVE_STATUS = 1;

/** Returns the exit status. */
export const printAnswer = async (answer: ToolAnswer, options: PrintOptions): Promise<number> => {
  const { terminal, format, command } = options;
  const { body, pictures, notes } = partsOf(answer);
  const { tabs } = readFacts(answer);
  const status = answer.isError
    ? printFailureText(body ?? '{}', terminal, { format: failureFormat(options), command, tabs })
    : 0;
  for (const note of notes) terminal.err(terminal.paintError('dim', shortenTabIds(note, tabs)));
  if (answer.isError) return status;
  if (command.tabFact !== undefined) {
    terminal.out(formatTabFact(body, command.tabFact, options, readFacts(answer)));
    return 0;
  }
  if (command.elementFact !== undefined)
    return printElementFact(body, command.elementFact, options);
  if (command.bare && readFacts(answer).negative) return printMissingHtml(body, options);
  const saved = await Promise.all(pictures.map(options.savePicture));
  await options.showPicture?.(saved[0]?.path ?? findSavedPath(body));
  const shown = format === 'json' && !command.bare ? formatData(answer, body) : body;
  if (saved.length > 0)
    terminal.out(format === 'json' ? picturesAsJson(saved, body) : picturesAsText(saved, body));
  else terminal.out(renderBody(shown ?? '', options, readFacts(answer)));
  return readFacts(answer).negative ? NEGATIVE_STATUS : 0;
};

/** A command whose result is data also prints its failures as JSON for programs. */
export const failureFormat = ({
  format,
  command,
  terminal,
}: Pick<PrintOptions, 'format' | 'command' | 'terminal'>): OutputFormat =>
  format ?? (command.data && !command.textFailures && !terminal.interactive ? 'json' : 'text');

const readFacts = ({ _meta }: ToolAnswer): ReplyFacts => _meta?.[FACTS_KEY] ?? {};

const renderBody = (
  body: string,
  { terminal, format, command, asWritten = false }: PrintOptions,
  facts: ReplyFacts,
): string => {
  const value = command.bare && command.view === undefined ? body : parseBody(body);
  const shown = command.pick !== undefined && isRecord(value) ? value[command.pick] : value;
  if (format === 'json' && !asWritten) return JSON.stringify(shown ?? null);
  if (typeof value === 'string' && command.view !== 'value') return body;
  if (command.data && format !== 'text')
    return terminal.interactive
      ? renderJson(shown, terminal.columns)
      : JSON.stringify(shown ?? null);
  const columns = terminal.interactive ? terminal.columns : Infinity;
  if (command.view === undefined) return renderData(withFetchCommand(shown), columns);
  const context: ViewContext = {
    columns,
    now: Date.now(),
    paint: (colour, text) => terminal.paint(colour, text),
    tabs: { ...facts.otherTabs, ...facts.tabs },
  };
  return VIEWS[command.view](shown as never, context);
};

/** Names the command for a stored result; the reply names the tool. */
const withFetchCommand = (shown: unknown): unknown =>
  isRecord(shown) && shown['fetch_with'] !== undefined
    ? { ...shown, fetch_with: `openchrome output show ${String(shown['output_handle'])}` }
    : shown;

/** The data of a JSON reply, or the text of any other reply. */
const parseBody = (text: string): unknown => {
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return text;
  return attempt(() => JSON.parse(text) as unknown, text);
};

const partsOf = ({
  content,
}: ToolAnswer): {
  readonly body?: string;
  readonly pictures: readonly Picture[];
  readonly notes: readonly string[];
} => {
  const [first] = content;
  const pictures = content.filter((block) => block.type === 'image');
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return first?.type === 'text'
    ? { body: texts[0] ?? '', pictures, notes: texts.slice(1) }
    : { pictures, notes: texts };
};

/** The JSON form of a reply, if the daemon sent it and the text is not JSON itself. */
const formatData = (
  { structuredContent }: ToolAnswer,
  body: string | undefined,
): string | undefined =>
  structuredContent === undefined || (body !== undefined && typeof parseBody(body) !== 'string')
    ? body
    : JSON.stringify(structuredContent);

interface PrintedTab {
  readonly tabId: string;
  readonly url: string;
  readonly title: string;
  readonly active?: true;
  /** The address of the page that could not be loaded. */
  readonly load_failed?: string;
  /** Present only for tabs of other sessions. */
  readonly session?: string | null;
}

/** Returns one property of one tab from a reply that lists tabs. Throws `tab_not_found`. */
const formatTabFact = (
  body = '{"tabs":[]}',
  tabFact: TabFact,
  { tabId, format }: PrintOptions,
  { tabs: shortIds = {} }: ReplyFacts,
): string => {
  const { tabs, session } = JSON.parse(body) as {
    tabs: readonly PrintedTab[];
    session?: string;
  };
  const isWanted = (tab: PrintedTab): boolean =>
    tabId === undefined
      ? tab.active === true && tab.session === undefined
      : tab.tabId === tabId || shortIds[tab.tabId] === tabId;
  const tab = tabs.find(isWanted);
  if (!tab && tabId !== undefined)
    throw fail('tab_not_found', `There is no tab ${JSON.stringify(tabId)}.`);
  if (!tab || tab.load_failed !== undefined || tab.url === 'about:blank')
    throw fail('no_page', describeNoPage(tab, session));
  return format === 'json' ? JSON.stringify(tab[tabFact]) : tab[tabFact];
};

const describeNoPage = (tab: PrintedTab | undefined, session = 'default'): string =>
  tab?.load_failed === undefined
    ? `No page is open in the session "${session}".`
    : `No page is open in the tab: "${tab.load_failed}" could not be loaded.`;

/** The path in a reply about a file that the daemon wrote. */
const findSavedPath = (body = '{}'): string => {
  const { path = '' } = (parseBody(body) ?? {}) as { readonly path?: string };
  return path;
};

/** The message is on stderr, so that a file of `get html > page.html` contains only HTML. */
const printMissingHtml = (body = '{}', { terminal, format }: PrintOptions): number => {
  const { message = 'No element matches.' } = JSON.parse(body) as { readonly message?: string };
  if (format === 'json') terminal.out(body);
  else terminal.err(message);
  return NEGATIVE_STATUS;
};

/** Prints the value; returns the exit status: 1 if the element does not have it. */
const printElementFact = (
  body = '{}',
  name: ElementFactName,
  { terminal, format, target = '' }: PrintOptions,
): number => {
  const { fact } = JSON.parse(body) as { readonly fact: string | number | null };
  if (fact === null && format !== 'json')
    terminal.err(`The element "${target.slice(0, 200)}" has no such ${name}.`);
  else terminal.out(renderFact(fact, format));
  return fact === null || fact === 0 ? NEGATIVE_STATUS : 0;
};

const renderFact = (fact: unknown, format: OutputFormat | undefined): string =>
  typeof fact === 'string' && format !== 'json' ? fact : JSON.stringify(fact);

const picturesAsJson = (saved: readonly SavedPicture[], text: string | undefined): string => {
  const said = defined({ text });
  const [only, another] = saved;
  return JSON.stringify(only && !another ? { ...only, ...said } : { pictures: saved, ...said });
};

const picturesAsText = (saved: readonly SavedPicture[], text: string | undefined): string =>
  [...listDefined(text), ...saved.map(({ path }) => path)].join('\n');
