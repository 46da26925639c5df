// Waits in tests: none uses Vitest's default of one second, in which a busy machine starts nothing.
import ts from 'typescript';
import { expect, it } from 'vitest';
import { filesBelow, type SourceFile } from './sources.ts';

const WAIT = /^vi\.(?:waitFor|waitUntil)$/;

/** The places of the calls of a file that wait without a timeout of their own. */
const findDefaultWaits = ({ path, text }: SourceFile): string[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && WAIT.test(node.expression.getText(source))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      if (node.arguments.length < 2) found.push(`${path}:${line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

it('every vi.waitFor and vi.waitUntil has a timeout', () => {
  const files = ['tests', 'src', 'extension'].flatMap((folder) => filesBelow(folder, '.ts'));
  expect(files.filter(({ text }) => text.includes('vi.wait')).flatMap(findDefaultWaits)).toEqual(
    [],
  );
});

it('the rule finds a wait without a timeout', () => {
  const text =
    'await vi.waitFor(() => expect(a).toBe(1));\nawait vi.waitUntil(done, { timeout: 9 });';
  expect(findDefaultWaits({ path: 'a.ts', text })).toEqual(['a.ts:1']);
});
