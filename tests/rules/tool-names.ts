// Finds code that knows tools by their names: lists of them, tables keyed by them, branches on one.
import ts from 'typescript';
import type { SourceFile } from './sources.ts';

/**
 * Names such as `find` or `network` are words too: alone they prove nothing, a name like
 * `read_page` does.
 */
const isUnmistakable = (name: string): boolean => name.includes('_');

const textOf = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteralLike(node) || ts.isIdentifier(node)) return node.text;
  return ts.isLiteralTypeNode(node) ? textOf(node.literal) : undefined;
};

/** The names that stand side by side in one node: elements, keys, cases, members of a union. */
const namesSideBySide = (node: ts.Node): readonly (string | undefined)[] => {
  if (ts.isArrayLiteralExpression(node))
    return node.elements.map((element) =>
      ts.isStringLiteralLike(element) ? element.text : undefined,
    );
  if (ts.isObjectLiteralExpression(node))
    return node.properties.map((property) => (property.name ? textOf(property.name) : undefined));
  if (ts.isUnionTypeNode(node)) return node.types.map(textOf);
  if (ts.isCaseBlock(node))
    return node.clauses.map((clause) =>
      ts.isCaseClause(clause) ? textOf(clause.expression) : undefined,
    );
  return [];
};

const isList = (names: readonly string[]): boolean =>
  names.length >= 3 || (names.length === 2 && names.some(isUnmistakable));

/** `tool.name === 'navigate'`, `name !== 'read_page'`. */
const comparedName = (node: ts.Node): string | undefined => {
  if (!ts.isBinaryExpression(node)) return undefined;
  const { EqualsEqualsEqualsToken, ExclamationEqualsEqualsToken } = ts.SyntaxKind;
  if (
    node.operatorToken.kind !== EqualsEqualsEqualsToken &&
    node.operatorToken.kind !== ExclamationEqualsEqualsToken
  )
    return undefined;
  const sides = [node.left, node.right];
  const literal = sides.find(ts.isStringLiteralLike)?.text;
  const other = sides.find((side) => !ts.isStringLiteralLike(side))?.getText() ?? '';
  return literal !== undefined &&
    (isUnmistakable(literal) ||
      /(?:^|\.)(?:tool|toolName|tool\??\.name|request\.name|call\.name)$/.test(other))
    ? literal
    : undefined;
};

/** The tools that texts of a file name, of those whose names are not also words. */
export const findNamedTools = (
  { path, text }: SourceFile,
  tools: ReadonlySet<string>,
): string[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    )
      for (const word of node.text.match(/\w+/g) ?? [])
        if (isUnmistakable(word) && tools.has(word)) found.push(`${path}: ${word}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

export const findToolNames = ({ path, text }: SourceFile, tools: ReadonlySet<string>): string[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const say = (node: ts.Node, what: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${path}:${line + 1}: ${what}`);
  };
  const visit = (node: ts.Node): void => {
    const names = [
      ...new Set(namesSideBySide(node).filter((name) => name !== undefined && tools.has(name))),
    ] as string[];
    if (isList(names)) say(node, `a list of tool names: ${names.join(', ')}`);
    const compared = comparedName(node);
    if (compared !== undefined && tools.has(compared))
      say(node, `a branch on the tool ${compared}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};
