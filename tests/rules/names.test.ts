// Rules for names: unique exported types, verbs as functions, distinctive file names.
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { shippedSources, type SourceFile } from './sources.ts';

interface Exported {
  readonly name: string;
  readonly path: string;
  readonly kind: 'type' | 'function';
}

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const isFunction = ({ initializer }: ts.VariableDeclaration): boolean =>
  initializer !== undefined &&
  (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer));

const listExports = ({ path, text }: Pick<SourceFile, 'path' | 'text'>): Exported[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return source.statements.filter(isExported).flatMap((node): Exported[] => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      return [{ name: node.name.text, path, kind: 'type' }];
    if (ts.isFunctionDeclaration(node) && node.name)
      return [{ name: node.name.text, path, kind: 'function' }];
    if (!ts.isVariableStatement(node)) return [];
    return node.declarationList.declarations
      .filter(isFunction)
      .map(({ name }) => ({ name: name.getText(source), path, kind: 'function' }));
  });
};

const sources = shippedSources().filter(({ path }) => !path.endsWith('.d.ts'));
const exported = sources.flatMap(listExports);

const findRepeated = (names: readonly string[], times: number): string[] => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > times).map(([name]) => name);
};

/** Participles that were used as function names; `resolved`, `ended` and the like are not verbs. */
const PARTICIPLE =
  /^(?:told|shown|asked|said|met|named|held|kept|found|seen|given|wanted|listed|cleaned|written)(?:[A-Z]|$)/;

const listTypes = ({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] => {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      names.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return names;
};

describe('names of the shipped code', () => {
  it('of exported types exist only once', () => {
    const names = exported.filter(({ kind }) => kind === 'type').map(({ name }) => name);
    expect(findRepeated(names, 1)).toEqual([]);
  });

  it('of types inside of files are rarely used twice', () => {
    const ofSource = sources.filter(({ path }) => path.startsWith('src/'));
    const repeated = findRepeated(ofSource.flatMap(listTypes), 1);
    expect(repeated.length, repeated.join(', ')).toBeLessThanOrEqual(5);
  });

  it('of exported functions are verbs, not participles, and do not end in Of', () => {
    const wrong = exported.filter(
      ({ kind, name }) => kind === 'function' && (/[a-z]Of$/.test(name) || PARTICIPLE.test(name)),
    );
    expect(wrong.map(({ name, path }) => `${path}: ${name}`)).toEqual([]);
  });

  it('of files are used by at most two files', () => {
    const bases = sources.map(({ path }) => path.split('/').at(-1) ?? '');
    expect(findRepeated(bases, 2).filter((name) => name !== 'index.ts')).toEqual([]);
  });

  it('would be reported if one of these rules was broken', () => {
    const planted = listExports({
      path: 'a.ts',
      text: 'export type A = 1;\nexport const nameOf = () => 1;\nexport const told = () => 2;',
    });
    expect(planted.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'type A',
      'function nameOf',
      'function told',
    ]);
    expect(findRepeated(['a', 'b', 'a'], 1)).toEqual(['a']);
    const broken = ['nameOf', 'told', 'toldLater'];
    expect(broken.every((name) => name.endsWith('Of') || PARTICIPLE.test(name))).toBe(true);
  });
});
