// Prints a tool's result: text or JSON on stdout, images as files, notes on stderr.
import { fail } from '../../core/failure.ts';
import type { ContentBlock, ToolAnswer } from './client.ts';
import type { TabFact } from './command.ts';
import { printFailureText } from './failures.ts';
import type { OutputFormat } from './cli-options.ts';
import { renderJson } from './pretty-json.ts';
import type { Terminal } from './terminal.ts';

export type Picture = Extract<ContentBlock, { readonly type: 'image' }>;

export interface SavedPicture {
  readonly path: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

export interface PrintOptions {
  readonly terminal: Terminal;
  readonly format: OutputFormat;
  /** The call requests a text format of the tool, such as lines: the text is printed unchanged. */
  readonly asWritten?: boolean;
  /** The property of a JSON reply to print. */
  readonly pick?: string | undefined;
  /** The property of one tab to print, from a reply that lists tabs. */
  readonly tabFact?: TabFact | undefined;
  /** The tab that `tabFact` is about. Absent: the current tab of the session. */
  readonly tabId?: unknown;
  /** Images are written to files, never to the terminal. */
  readonly savePicture: (picture: Picture) => Promise<SavedPicture>;
}

/** Returns the exit status. */
export const printAnswer = async (answer: ToolAnswer, options: PrintOptions): Promise<number> => {
  const { terminal, format, pick, asWritten = false } = options;
  const { body, pictures, notes } = partsOf(answer);
  const status = answer.isError ? printFailureText(body ?? '{}', terminal, format) : 0;
  for (const note of notes) terminal.err(note);
  if (answer.isError) return status;
  if (options.tabFact !== undefined) {
    terminal.out(formatTabFact(body, options.tabFact, options));
    return 0;
  }
  const saved = await Promise.all(pictures.map(options.savePicture));
  const whole = format === 'json' ? formatData(answer, body) : body;
  const shown = pick === undefined || whole === undefined ? whole : picked(whole, pick, format);
  if (saved.length > 0)
    terminal.out(format === 'json' ? picturesAsJson(saved, body) : picturesAsText(saved, body));
  else
    terminal.out(
      format === 'json' && !asWritten ? asJson(shown ?? '') : asText(shown ?? '', terminal),
    );
  return 0;
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

/** JSON is indented on a terminal; otherwise the text is the same that an agent gets. */
const asText = (text: string, { interactive, columns }: Terminal): string =>
  interactive && /^[[{]/.test(text) && isJson(text) ? renderJson(JSON.parse(text), columns) : text;

/** The JSON form of a reply, if the daemon sent it and the text is not JSON itself. */
const formatData = (
  { structuredContent }: ToolAnswer,
  body: string | undefined,
): string | undefined =>
  structuredContent === undefined || (body !== undefined && isJson(body))
    ? body
    : JSON.stringify(structuredContent);

/** JSON is printed unchanged; any other text is printed as a JSON string. */
const asJson = (text: string): string => (isJson(text) ? text : JSON.stringify(text));

const isJson = (text: string): boolean => {
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const picked = (body: string, name: string, format: OutputFormat): string => {
  const part = (JSON.parse(body) as Record<string, unknown>)[name];
  return format === 'text' && Array.isArray(part)
    ? part.map((one) => JSON.stringify(one)).join('\n')
    : JSON.stringify(part ?? null);
};

interface ListedTab {
  readonly tabId: string;
  readonly url: string;
  readonly title: string;
  readonly active?: true;
  /** Present only for tabs of other sessions. */
  readonly session?: string | null;
}

/** Returns one property of one tab from a reply that lists tabs. Throws `tab_not_found`. */
const formatTabFact = (
  body = '{"tabs":[]}',
  tabFact: TabFact,
  { tabId, format }: PrintOptions,
): string => {
  const { tabs } = JSON.parse(body) as { tabs: readonly ListedTab[] };
  const isWanted = (tab: ListedTab): boolean =>
    tabId === undefined ? tab.active === true && tab.session === undefined : tab.tabId === tabId;
  const tab = tabs.find(isWanted);
  if (!tab && tabId !== undefined)
    throw fail('tab_not_found', `There is no tab ${JSON.stringify(tabId)}.`);
  if (!tab)
    throw fail('tab_not_found', 'No page is open.', {
      hint: 'Open one with "openchrome browser open URL".',
    });
  return format === 'json' ? JSON.stringify(tab[tabFact]) : tab[tabFact];
};

const picturesAsJson = (saved: readonly SavedPicture[], text: string | undefined): string => {
  const said = text === undefined ? {} : { text };
  const [only, another] = saved;
  return JSON.stringify(only && !another ? { ...only, ...said } : { pictures: saved, ...said });
};

const picturesAsText = (saved: readonly SavedPicture[], text: string | undefined): string =>
  [...(text === undefined ? [] : [text]), ...saved.map(({ path }) => path)].join('\n');
