// Wording that comments, messages and test names avoid, and the texts that are checked for it.
import ts from 'typescript';
import type { SourceFile } from './sources.ts';

interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Wording that a reader understands only with the code. */
const PHRASES: readonly Phrase[] = [
  { pattern: /\b(?:told|tells|tell|said|says|asked)\b/i, instead: 'reports, returns, requested' },
  {
    pattern: /\bstands? (?:in|for|at|there|above|below|beside|where|behind|around)\b/i,
    instead: 'is in',
  },
  { pattern: /\b(?:brings?|brought|anew)\b/i, instead: 'returns, again' },
  { pattern: /\b(?:nobody|somebody|whoever|whom)\b/i, instead: 'no caller, the client' },
  {
    pattern: /(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|one\b)[a-z]+\b/i,
    instead: 'is not a',
  },
  { pattern: /\b(?:nothing|none|undefined) where\b/i, instead: 'undefined if' },
  { pattern: /\bin one (?:breath|go)\b/i, instead: 'in one request' },
];

/** Further wording that messages and test names avoid; comments use it in its literal sense. */
const SPOKEN_PHRASES: readonly Phrase[] = [
  ...PHRASES,
  { pattern: /\b(?:holds|held)\b/i, instead: 'contains, applies' },
  { pattern: /\b(?:goes|go|went) on\b/i, instead: 'continues' },
  { pattern: /\bfor ever\b/i, instead: 'forever' },
  { pattern: /\bThere is no (?:such )?[a-z]+\b/, instead: '... does not exist, unknown ...' },
];

const matches =
  (phrases: readonly Phrase[]) =>
  (text: string): boolean =>
    phrases.some(({ pattern }) => pattern.test(text));

export const isUnclearComment = matches(PHRASES);
export const isUnclearMessage = matches(SPOKEN_PHRASES);

export interface FoundText {
  readonly path: string;
  readonly text: string;
}

const COMMENT = /^\s*(?:\/\/|\/?\*\*?) (.*)$/;

export const listComments = (text: string): string[] =>
  text.split('\n').flatMap((line) => COMMENT.exec(line.slice(0, 400))?.[1] ?? []);

/** Joins the static parts of a literal; an expression becomes an ellipsis. */
const readLiteral = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => text)
    .join('…');
};

const SENTENCE = /[A-Za-z]{2,},? [a-z]{2,}/;

/** Visits all nodes except imports and types. */
const visitNodes = (file: Pick<SourceFile, 'path' | 'text'>, visit: (node: ts.Node) => void) => {
  const walk = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest));
};

/** Lists the literals with at least two words: messages, hints, notes and descriptions. */
export const listMessages = (file: Pick<SourceFile, 'path' | 'text'>): FoundText[] => {
  const found: FoundText[] = [];
  visitNodes(file, (node) => {
    const text = readLiteral(node);
    if (text !== undefined && SENTENCE.test(text)) found.push({ path: file.path, text });
  });
  return found;
};

const TESTING = new Set(['it', 'test', 'describe']);

/** Returns `it` for `it(...)`, `it.each(...)(...)` and the like. */
const findRootName = (node: ts.Expression): string | undefined => {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node))
    return findRootName(node.expression);
  return ts.isTaggedTemplateExpression(node) ? findRootName(node.tag) : undefined;
};

export const listTestNames = (file: Pick<SourceFile, 'path' | 'text'>): FoundText[] => {
  const found: FoundText[] = [];
  visitNodes(file, (node) => {
    if (!ts.isCallExpression(node) || !TESTING.has(findRootName(node.expression) ?? '')) return;
    const text = node.arguments[0] && readLiteral(node.arguments[0]);
    if (text !== undefined) found.push({ path: file.path, text });
  });
  return found;
};

/** Words that give a reason or state a restriction. */
const REASON =
  /\b(?:because|so|otherwise|since|therefore|would|must|never|cannot|unless|only|without|instead)\b/i;

const MAX_COMMENT_LINES = 2;
const COMMENT_LINE = /^\s*(?:\/\/|\/\*\*?|\*\/|\*(?=\s|$))\s?(.*)$/;

/** Lists comments of more than two lines that give no reason. */
export const listLongComments = ({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] => {
  const found: string[] = [];
  let lines: string[] = [];
  const flush = (): void => {
    const words = lines.filter((line) => line !== '');
    if (words.length > MAX_COMMENT_LINES && !REASON.test(words.join(' ')))
      found.push(`${path}: ${words[0] ?? ''}`);
    lines = [];
  };
  for (const line of text.split('\n')) {
    const comment = COMMENT_LINE.exec(line.slice(0, 400))?.[1];
    if (comment === undefined || line.trimStart().startsWith('/*')) flush();
    if (comment !== undefined) lines.push(comment.replace(/\*\/$/, '').trim());
  }
  flush();
  return found;
};

/** A header that starts with such a word describes a riddle, not the subject of the file. */
const NO_SUBJECT = /^(?:What|Where|Whether|How|Why|Who|Nothing|Everything|It|This|That)\b/;

/** Whether the first line of a file names its subject. */
export const namesSubject = ({ text }: Pick<SourceFile, 'text'>): boolean => {
  const header = /^\/\/ (.*)$/.exec(text.split('\n', 1)[0] ?? '')?.[1] ?? '';
  return (
    header.split(' ').length > 2 &&
    /^[A-Z`"/<]|^(?:stdio|tools)\b|^[a-z_]+[:/]/.test(header) &&
    !NO_SUBJECT.test(header) &&
    !isUnclearComment(header)
  );
};
