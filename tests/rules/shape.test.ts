// Rules for the shape of the code: few decisions per line, short lines, no nested ternaries.
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { filesBelow, type SourceFile } from './sources.ts';

const { SyntaxKind } = ts;

/** Statements that are a decision each, as tools for cyclomatic complexity count them. */
const DECISIONS: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ForStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
  SyntaxKind.CaseClause,
  SyntaxKind.CatchClause,
  SyntaxKind.ConditionalExpression,
]);
const LOGICAL_OPERATORS: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
]);

interface Shape {
  readonly codeLines: number;
  readonly decisions: number;
  /** Positions as `path:line`. */
  readonly nestedTernaries: readonly string[];
  readonly conditionalSpreads: readonly string[];
  readonly casts: readonly string[];
  readonly wideLines: readonly string[];
}

const isDecision = (node: ts.Node): boolean =>
  DECISIONS.has(node.kind) ||
  (ts.isBinaryExpression(node) && LOGICAL_OPERATORS.has(node.operatorToken.kind));

const unwrap = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) ? unwrap(node.expression) : node;

const isTernary = (node: ts.Expression): boolean => ts.isConditionalExpression(unwrap(node));

const isNestedTernary = (node: ts.Node): boolean =>
  ts.isConditionalExpression(node) && [node.whenTrue, node.whenFalse].some(isTernary);

const isConditionalSpread = (node: ts.Node): boolean =>
  ts.isSpreadAssignment(node) && isTernary(node.expression);

const isCast = (node: ts.Node): boolean =>
  ts.isAsExpression(node) && /^(?:never|unknown)$/.test(node.type.getText());

const measureShape = ({ path, text }: SourceFile): Shape => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const locate = (node: ts.Node): string =>
    `${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  const lines = text.split('\n');
  return {
    codeLines: lines.filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\*|\/\*)/.test(line))
      .length,
    decisions: nodes.filter(isDecision).length,
    nestedTernaries: nodes.filter(isNestedTernary).map(locate),
    conditionalSpreads: nodes.filter(isConditionalSpread).map(locate),
    casts: nodes.filter(isCast).map(locate),
    wideLines: lines.flatMap((line, i) => (line.length > 101 ? [`${path}:${i + 1}`] : [])),
  };
};

const shapes = filesBelow('src', '.ts', '.tsx')
  .filter(({ path }) => !/\.(?:test|d)\.ts$/.test(path))
  .map(measureShape);

const sum = (measure: (shape: Shape) => number): number =>
  shapes.reduce((total, shape) => total + measure(shape), 0);

describe('the code of src/', () => {
  it('has at most 160 decisions per 1,000 lines of code', () => {
    const density = (1000 * sum(({ decisions }) => decisions)) / sum(({ codeLines }) => codeLines);
    expect(Math.round(density)).toBeLessThanOrEqual(160);
  });

  it('has no nested ternaries', () => {
    expect(shapes.flatMap(({ nestedTernaries }) => nestedTernaries)).toEqual([]);
  });

  it('has few conditional spreads, casts and lines of more than 100 columns', () => {
    const spreads = shapes.flatMap(({ conditionalSpreads }) => conditionalSpreads);
    const casts = shapes.flatMap(({ casts: found }) => found);
    const wide = shapes.flatMap(({ wideLines }) => wideLines);
    expect(spreads.length, `Use defined({...}): ${spreads.join(', ')}`).toBeLessThanOrEqual(15);
    expect(casts.length, `Use a type guard: ${casts.join(', ')}`).toBeLessThanOrEqual(12);
    expect(wide.length, `Use named parts: ${wide.join(', ')}`).toBeLessThanOrEqual(20);
  });
});

describe('the measurement of shape', () => {
  it('finds planted violations', () => {
    const text = [
      'const a = b ? c : d ? e : f;',
      'const g = { ...(a ? {} : { a }) };',
      'const h = a as unknown as string;',
      `const i = '${'x'.repeat(120)}';`,
      'if (a && b) for (const c of d) e(c ?? f);',
    ].join('\n');
    expect(measureShape({ path: 'planted.ts', text })).toEqual({
      codeLines: 5,
      decisions: 7,
      nestedTernaries: ['planted.ts:1'],
      conditionalSpreads: ['planted.ts:2'],
      casts: ['planted.ts:3'],
      wideLines: ['planted.ts:4'],
    });
  });
});
