// An answer of a tool on stdout: the text that an agent would get, or JSON; pictures as files; notes on stderr.
import type { ContentBlock, ToolAnswer } from './client.ts';
import { printFailureText } from './failures.ts';
import type { Format } from './options.ts';
import { prettyJson } from './pretty-json.ts';
import type { Terminal } from './terminal.ts';

export type Picture = Extract<ContentBlock, { readonly type: 'image' }>;

export interface SavedPicture {
  readonly path: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

export interface PrintOptions {
  readonly terminal: Terminal;
  readonly format: Format;
  /** The tool was asked for a form of its own, such as lines: text is printed as it is. */
  readonly asWritten?: boolean;
  /** The part of a JSON reply that is shown. */
  readonly pick?: string | undefined;
  /** A terminal is no place for bytes: they go to a file. */
  readonly savePicture: (picture: Picture) => Promise<SavedPicture>;
}

/** Returns the exit status. */
export const printAnswer = async (answer: ToolAnswer, options: PrintOptions): Promise<number> => {
  const { terminal, format, pick, asWritten = false } = options;
  const { body, pictures, notes } = partsOf(answer);
  const status = answer.isError ? printFailureText(body ?? '{}', terminal, format) : 0;
  for (const note of notes) terminal.err(note);
  if (answer.isError) return status;
  const saved = await Promise.all(pictures.map(options.savePicture));
  const shown = pick === undefined || body === undefined ? body : picked(body, pick, format);
  if (saved.length > 0) terminal.out(format === 'json' ? picturesAsJson(saved, body) : picturesAsText(saved, body));
  else terminal.out(format === 'json' && !asWritten ? asJson(shown ?? '') : asText(shown ?? '', terminal));
  return 0;
};

/** Text comes first, then pictures, then notes. */
const partsOf = ({
  content,
}: ToolAnswer): { readonly body?: string; readonly pictures: readonly Picture[]; readonly notes: readonly string[] } => {
  const [first] = content;
  const pictures = content.filter((block) => block.type === 'image');
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return first?.type === 'text' ? { body: texts[0] ?? '', pictures, notes: texts.slice(1) } : { pictures, notes: texts };
};

/** A person gets JSON laid out; whoever else asks for text gets what an agent would get. */
const asText = (text: string, { interactive, columns }: Terminal): string =>
  interactive && /^[[{]/.test(text) && isJson(text) ? prettyJson(JSON.parse(text), columns) : text;

/** A reply that is JSON goes out as it came; any other text is a JSON string. */
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

const picked = (body: string, name: string, format: Format): string => {
  const part = (JSON.parse(body) as Record<string, unknown>)[name];
  return format === 'text' && Array.isArray(part) ? part.map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(part ?? null);
};

const picturesAsJson = (saved: readonly SavedPicture[], text: string | undefined): string => {
  const said = text === undefined ? {} : { text };
  const [only, another] = saved;
  return JSON.stringify(only && !another ? { ...only, ...said } : { pictures: saved, ...said });
};

const picturesAsText = (saved: readonly SavedPicture[], text: string | undefined): string =>
  [...(text === undefined ? [] : [text]), ...saved.map(({ path }) => path)].join('\n');
