// Checks every regular expression of the shipped code for backtracking that grows faster than its input.
import { check } from 'recheck';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { shippedSources } from './sources.ts';

interface Literal {
  readonly text: string;
  readonly path: string;
}

/**
 * Literals that recheck reports or cannot decide, each with the reason why its input is bounded.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  '/^\\s*(\\S+) => not found/gm': 'output of ldd for one binary',
  '/^\\[[\\d:/.]+:(\\w+):[^\\]]*\\] /': "one line of Chrome's stderr, from a tail of fixed size",
  '/^\\s*(?:HTTP|HTTPS|SOCKS|ProxyAutoConfig|ProxyAutoDiscovery)Enable\\s*:\\s*1\\s*$/m':
    'output of scutil',
  '/^\\s*AutoConfigURL\\s+REG_\\w+\\s+\\S/m': 'output of reg.exe',
  '/^\\s*ProxyEnable\\s+REG_DWORD\\s+0x1\\s*$/m': 'output of reg.exe',
  '/(?:^|\\s)(?:language|lang|highlight-(?:source|text)|brush:|sourceCode)[-\\s:]?\\s*([\\w+#.-]+)/i':
    'a class attribute, cut to 200 characters',
  '/\\/[/*][#@]\\s*sourceMappingURL=(\\S+?)(?:\\s*\\*\\/)?\\s*$/m':
    'one attempt: the text starts at the last mark of a script',
  '/<meta[^>]+charset\\s*=\\s*["\']?\\s*([\\w-]+)/i': 'the first 2,048 bytes of a page',
  '/\\([^()]*[+*}][^()]*\\)\\s*[+*{]/':
    "a pattern of a caller's schema, at most 1,000 characters long",
  '/#[^\\n\\r]*|"""(?:[^"\\\\]|\\\\.|"(?!""))*(?:"""|$)|"(?:[^"\\\\\\n\\r]|\\\\.)*(?:"|$|(?=[\\n\\r]))/gs':
    'a GraphQL query, cut to 100,000 characters; each alternative ends at the first quote or line end',
  '/^[-.]+|[-.]+$/g': 'a host name, cut to 60 characters',
  '/^_+|_+$/g': 'a name, cut to 200 characters',
};

/**
 * Files that build a RegExp at run time, each with the reason why it cannot run long on the main
 * thread.
 */
const BUILT_AT_RUN_TIME: Readonly<Record<string, string>> = {
  'src/browser/cdp/errors.ts': 'a constant list of words',
  'src/browser/launch/launch-failure.ts': 'a constant list of words',
  'src/browser/traffic/replay-request.ts': 'a constant list of words',
  'src/policy/sanitise-text.ts': 'a tag name from a constant set, without repetition',
  'src/features/crawl/loader.ts': 'a constant list of words',
  'src/features/crawl/urls.ts': 'a constant list of words',
  'src/page/act/actionable.ts': 'a constant list of words',
  'src/page/act/rhythm.ts': 'a constant list of words',
  'src/page/extract/leaves.ts': 'a constant list of words',
  'src/page/extract/linked-data.ts': 'a constant list of words',
  'src/page/recorder/send.ts': 'a constant list of words',
  'src/page/entries/indexed-db.ts': 'restores a value of the page inside the page; it is not run',
  'src/page/visible-text.ts': 'a constant character class',
  'src/page/words.ts': 'constant character classes',
  'src/browser/traffic/request-body.ts':
    "a constant name, in the first 4,000 characters of a part's header",
  'src/policy/invisible.ts': 'a constant list of scripts',
  'src/policy/instructions.ts': 'constant patterns without unbounded repetition',
  'src/policy/network-address.ts': 'constant parts of an address between anchors',
  'src/policy/secret-values.ts': 'constant patterns with bounded repetition',
  'src/store/workers/grep.ts': "a caller's pattern, in a worker thread with a deadline",
  'src/features/crawl/bounded-markup.ts': 'a constant element name',
  'src/features/network/select.ts': "a caller's pattern, compiled but not run",
  'src/features/network/workers/address-matches.ts':
    "a caller's pattern, in a worker thread with a deadline",
  'src/features/recording/script-text.ts': 'a constant function name',
};

/** Without an unbounded repetition the time is linear in the input. */
const hasUnboundedRepetition = (text: string): boolean =>
  /[+*]|\{\d+,\}/.test(text.replace(/\\./g, '').replace(/\[[^\]]*\]/g, ''));

const parseFiles = () =>
  shippedSources().map(({ path, text }) => ({
    path,
    source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
  }));

const collect = (): { literals: Literal[]; built: string[] } => {
  const literals: Literal[] = [];
  const built: string[] = [];
  for (const { path, source } of parseFiles()) {
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) literals.push({ text: node.text, path });
      const isBuilt = ts.isNewExpression(node) || ts.isCallExpression(node);
      if (isBuilt && node.expression.getText(source) === 'RegExp') built.push(path);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, built: [...new Set(built)] };
};

const { literals, built } = collect();

/** Limited by steps, not by time: on a busy machine a slow check would be reported as a problem. */
const BY_STEPS = { timeout: null, incubationTimeout: null, attackTimeout: null };

const checkLiteral = async (text: string, limits = {}): Promise<string | undefined> => {
  const end = text.lastIndexOf('/');
  const flags = text.slice(end + 1).replace('v', 'u');
  const result = await check(text.slice(1, end), flags, limits);
  if (result.status === 'safe') return undefined;
  return result.status === 'vulnerable' ? result.complexity.summary : 'could not be decided';
};

describe('a regular expression of the shipped code', () => {
  it('runs in linear time, or its bound is listed here', { timeout: 600_000 }, async () => {
    const open = literals.filter(({ text }) => hasUnboundedRepetition(text) && !(text in BOUNDED));
    const problems: string[] = [];
    // One after the other: the checker's time limit includes the time in its queue.
    for (const { text, path } of new Map(open.map((literal) => [literal.text, literal])).values()) {
      const problem = await checkLiteral(text, BY_STEPS);
      if (problem !== undefined) problems.push(`${path}: ${text} ${problem}`);
    }
    expect(problems).toEqual([]);
  });

  it('is still in the code if it is listed as bounded', () => {
    const present = new Set(literals.map(({ text }) => text));
    expect(Object.keys(BOUNDED).filter((text) => !present.has(text))).toEqual([]);
  });

  it('is built at run time only in the listed files', () => {
    expect(built.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      Object.keys(BUILT_AT_RUN_TIME).toSorted((a, b) => (a < b ? -1 : 1)),
    );
  });

  it('would be reported if it backtracked', async () => {
    expect(await checkLiteral('/^(?:<!--[^]*?-->\\s*)*x/')).toMatch(/exponential|polynomial/);
  });
});
