// Every parser, sanitiser, redactor and renderer of page text needs linear time, for any text.
import { describe, expect, it } from 'vitest';
import { parseChord, parseChords, parseModifiers } from '../../src/browser/act/keys.ts';
import { parseScript } from '../../src/browser/act/grammar.ts';
import { splitRuns } from '../../src/browser/act/keyboard.ts';
import { decodeUtf8 } from '../../src/browser/traffic/bounded-collections.ts';
import { parseOperations } from '../../src/browser/traffic/graphql.ts';
import { parseMultipart } from '../../src/browser/traffic/request-body.ts';
import { mapAddressIn, SourceMap } from '../../src/browser/traffic/source-map.ts';
import { toUrlMatcher } from '../../src/browser/traffic/request-match.ts';
import type { CapturedRequest } from '../../src/core/captured-request.ts';
import {
  matchesSecretHost,
  parseDotenv,
  parseSecretHost,
} from '../../src/core/secret-definition.ts';
import { matchesGlob, parsePathGlob } from '../../src/core/glob.ts';
import { parseJson } from '../../src/core/json.ts';
import type { AxNode } from '../../src/core/page-snapshot.ts';
import { cutToBytes, cutToCharacters, formatAddress } from '../../src/core/text.ts';
import {
  boundMarkup,
  decode,
  endOfDoctype,
  startsAsHtml,
} from '../../src/features/crawl/bounded-markup.ts';
import { collapseSpaces } from '../../src/features/crawl/page-facts.ts';
import { parseMarkup } from '../../src/features/crawl/markup-tree.ts';
import { parsePage } from '../../src/features/crawl/page-world.ts';
import { parseRobots } from '../../src/features/crawl/robots.ts';
import { parseSitemap } from '../../src/features/crawl/sitemap.ts';
import { normaliseUrl } from '../../src/features/crawl/urls.ts';
import { coerce, parseNumber, toExtractedValue } from '../../src/features/extract/coerce.ts';
import { collectSchemaFields } from '../../src/features/extract/schema-fields.ts';
import { splitWords } from '../../src/features/extract/words.ts';
import { describeApi } from '../../src/features/network/describe-api.ts';
import { toEndpoints } from '../../src/features/network/endpoints.ts';
import { renderLiteral } from '../../src/features/recording/script-text.ts';
import { fold, wordsIn } from '../../src/page/words.ts';
import { isBlank, oneLine, shortLine, shortLines } from '../../src/page/visible-text.ts';
import * as markdown from '../../src/page/markdown/lines.ts';
import { parseAddress } from '../../src/policy/address.ts';
import { decodeEscapes } from '../../src/policy/escapes.ts';
import { countInstructions } from '../../src/policy/instructions.ts';
import { removeInvisible } from '../../src/policy/invisible.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { noFindings, sanitiseText } from '../../src/policy/sanitise-text.ts';
import { sanitiseData, sanitiseTitle } from '../../src/policy/sanitise.ts';
import { hideSecrets } from '../../src/policy/secret-values.ts';
import { parseContentJson } from '../../src/render/captured-content.ts';
import { renderConsole } from '../../src/render/console.ts';
import { renderCurl, toHar } from '../../src/render/har.ts';
import { renderDiff } from '../../src/render/diff.ts';
import { fitLines } from '../../src/render/read-modes-text.ts';
import { getAtPath, parseJsonBody } from '../../src/render/json-path.ts';
import {
  cutMarkdownPage,
  cutPdfPages,
  renderMarkdownPage,
} from '../../src/render/markdown-text.ts';
import { toDetail, toPicked } from '../../src/render/network-detail.ts';
import { toBareEntry, toEntry, toLine } from '../../src/render/network-list.ts';
import { renderPage } from '../../src/render/page.ts';
import { countTokens, estimateTokens } from '../../src/render/tokens.ts';
import { renderNodeLine } from '../../src/render/tree.ts';
import { parseEvent } from '../../src/store/tasks/task-row.ts';
import {
  findGrowth,
  isSuspicious,
  measureCpuMs,
  measureFastestMs,
  repeatUnit,
  type TextUnit,
  type TextWork,
} from '../growth.ts';
import { filesBelow } from './sources.ts';

const SECRETS = ['correct-horse-battery-1', 'Pa55 wörd/+&'];
const redactor = createRedactor(SECRETS);

const request = (text: string): CapturedRequest => ({
  key: 'GET a.test/',
  tabId: 't1',
  startedAt: 0,
  method: 'POST',
  url: `https://a.test/${text.slice(0, 2000)}`,
  documentUrl: 'https://a.test/',
  resourceType: 'fetch',
  state: 'finished',
  status: 200,
  contentType: 'application/json',
  size: text.length,
  transferred: text.length,
  initiator: { type: 'script' },
  requestHeaders: { 'content-type': 'application/json', cookie: text },
  requestBody: { text },
  responseHeaders: { 'set-cookie': text },
  body: { text },
});

const node = (name: string, children: readonly AxNode[] = []): AxNode => ({
  kind: children.length > 0 ? 'group' : 'text',
  role: '',
  name,
  states: '',
  value: '',
  url: '',
  inView: true,
  children,
});

/** A page of lines of 200 characters, in groups. */
const page = (text: string): AxNode[] => {
  const lines: AxNode[] = [];
  for (let at = 0; at < text.length; at += 200) lines.push(node(text.slice(at, at + 200)));
  const groups: AxNode[] = [];
  for (let at = 0; at < lines.length; at += 50) groups.push(node('', lines.slice(at, at + 50)));
  return groups;
};

const refs = { refOf: () => 'e1', refOfRange: () => 'e1' };
const [field] = collectSchemaFields({ properties: { price: { type: 'number' } } });

/** Errors about invalid input are a result too. */
const orError =
  (work: TextWork): TextWork =>
  (text) => {
    try {
      return work(text);
    } catch {
      return undefined;
    }
  };

/** The name of an exported function, or `Class.method`, and how it gets the text. */
const WORK: Readonly<Record<string, TextWork>> = {
  // core
  cutToBytes: (text) => cutToBytes(text, text.length - 1),
  cutToCharacters,
  formatAddress,
  matchesGlob: (text) => matchesGlob(parsePathGlob('**/*a*/*b'), text),
  matchesSecretHost: (text) => matchesSecretHost('a.test', `https://${text}`),
  parseDotenv,
  parseJson: orError((text) => parseJson(`["${text}"]`)),
  parsePathGlob,
  parseSecretHost: orError(parseSecretHost),
  // policy
  countInstructions,
  decodeEscapes: (text) => decodeEscapes(Buffer.from(text)),
  hideSecrets,
  parseAddress: orError((text) => parseAddress(text)),
  redactText: (text) => redactor.text(text),
  'redactor.data': (text) => redactor.data({ [text]: [text] }),
  removeInvisible,
  sanitiseData: (text) => sanitiseData({ [text]: text }, noFindings(), { html: true }),
  sanitiseText: (text) => sanitiseText(text, { html: true }),
  sanitiseTitle,
  // render
  countTokens,
  cutMarkdownPage: (text) => cutMarkdownPage(text, { maxTokens: 10_000 }),
  getAtPath: orError((text) => getAtPath({ a: [1] }, text)),
  estimateTokens,
  fitLines: (text) => fitLines(text, 10_000),
  parseContentJson: (text) => parseContentJson({ text }, 'application/json'),
  parseJsonBody: (text) => parseJsonBody(text, 'application/json'),
  renderConsole: (text) =>
    renderConsole({
      lines: [
        {
          level: 'log',
          text,
          count: 1,
          stack: [{ function: text, url: text, line: 1, column: 1 }],
        },
      ],
      cursor: 1,
      older: 0,
      dropped: 0,
    }),
  renderDiff: (text) =>
    renderDiff(
      { nodes: page(text), refOf: refs.refOf },
      { nodes: page(`x${text}`), refOf: refs.refOf },
      { maxTokens: 2000 },
    ),
  renderMarkdownPage: (text) => renderMarkdownPage(cutMarkdownPage(text, { maxTokens: 10_000 })),
  renderCurl: (text) => renderCurl(request(text)),
  cutPdfPages: (text) => cutPdfPages([text], { maxTokens: 10_000, inlineLimitBytes: 32_768 }),
  renderNodeLine: (text) => renderNodeLine(node(text), refs.refOf),
  renderPage: (text) => renderPage({ nodes: page(text), ...refs }, { maxTokens: 2000 }),
  toBareEntry: (text) => toBareEntry(request(text)),
  toDetail: (text) => toDetail(request(text), { raw: true, maxBytes: 65_536 }),
  toEntry: (text) => toEntry(request(text), { body: 'shape', maxBytes: 65_536 }),
  toHar: (text) => toHar([request(text)], '1'),
  toLine: (text) => toLine(toBareEntry(request(text))),
  toPicked: orError((text) => toPicked(request(`["${text}"]`), '$[0]', 65_536)),
  // features
  boundMarkup,
  coerce: (text) => field && coerce(field, { text }),
  collapseSpaces,
  decode: (text) => decode(Buffer.from(text)),
  describeApi: (text) => describeApi([request(text)], 'typescript'),
  endOfDoctype,
  normaliseUrl: (text) => normaliseUrl(text, 'https://a.test/'),
  parseNumber: (text) => parseNumber({ text }),
  parseMarkup: (text) => parseMarkup(boundMarkup(text)),
  parsePage: (text) => parsePage(boundMarkup(text)),
  parseRobots: (text) => parseRobots(text, 'OpenChrome').allows('https://a.test/a/b/a'),
  parseSitemap,
  renderLiteral,
  splitWords,
  startsAsHtml,
  toEndpoints: (text) => toEndpoints([request(text)]),
  toExtractedValue: (text) => toExtractedValue({ text, name: text }),
  // browser
  decodeUtf8: (text) => decodeUtf8(Buffer.from(text)),
  mapAddressIn: (text) => mapAddressIn(`//# sourceMappingURL=${text}`),
  parseChord: orError((text) => parseChord(text)),
  parseModifiers: orError((text) => parseModifiers(text)),
  parseChords: orError((text) => parseChords(text)),
  parseMultipart: (text) =>
    parseMultipart(text, `multipart/form-data; boundary=${text.slice(0, 9)}`),
  parseOperations: (text) =>
    parseOperations({ url: undefined, contentType: 'application/graphql', body: text }),
  parseScript: orError(parseScript),
  splitRuns,
  toUrlMatcher: (text) => toUrlMatcher('**/*a*/*b')(text),
  'SourceMap.parse': (text) =>
    SourceMap.parse(
      JSON.stringify({ version: 3, sources: ['a'], mappings: text }),
      'https://a.test/',
    )?.find(1, 1),
  // page: these also run in a worker thread for crawls
  fold,
  wordsIn: (text) => wordsIn(fold(text)),
  isBlank,
  oneLine,
  shortLine: (text) => shortLine(text, 100),
  shortLines: (text) => shortLines(text, 100),
  'markdown.paragraph': markdown.paragraph,
  'markdown.oneLine': markdown.oneLine,
  'markdown.prefixLines': (text) => markdown.prefixLines(text, '> '),
  'markdown.hanging': (text) => markdown.hanging(text, '- '),
  'markdown.wrapLines': (text) => markdown.wrapLines(text, '**'),
  'markdown.join': (text) => markdown.join(text.split('\n').map((line) => ({ text: line }))),
  // store
  parseEvent: orError((text) => parseEvent(`{"kind":"log","data":"${text}"}`)),
};

/** Exported functions with such a name that get no text of any length, with their bound. */
const BOUNDED: Readonly<Record<string, string>> = {
  renderHint: 'a hint of our own, about a failure',
  matchGroups: 'a constant expression, checked by regular-expressions.test.ts',
  parseUrl: "Node's URL parser",
  parseMeta: 'facts of our own store, read by JSON.parse',
  parseDatabaseTarget: "the owner's setting",
  countElements: 'counts in the page with its own query engine',
  parseRow: 'a row of our own ledger of at most 1 MB, read by JSON.parse',
  parseTotpKey: "the owner's secrets file",
  renderCss: 'a report of our own page script with limited numbers of lines',
  renderChanges: 'through renderDiff',
  renderPdfMatches: 'joins a limited number of lines',
  parseYaml: 'at most 32 KB and 100 levels',
  parseRecipe: 'through parseYaml',
  parseRecipeValue: 'a value of parseYaml, or the steps of a task or a recording',
  renderScreenshot: 'sizes and a path',
  renderOutline: 'joins the lines that renderPage writes',
  foldByte: 'one byte',
  foldTree: 'through renderPage',
  hideFound: 'through redactText',
  sanitiseInto: 'through sanitiseText',
  sanitiseLargeData: 'as sanitiseData: large-data.test.ts compares both',
  matchAddresses: 'in a worker thread with a deadline',
  matchFields: 'at most 300 columns; names through splitWords',
  redactCaptured: 'parts through the redactor',
  parseDomains: "the owner's configuration and the limits of a task",
  parseMoment: 'an argument of at most 4,000 characters, between anchors',
  parseSwitch: 'compares with constant words',
  parseName: 'a file name',
  parseTaskTime: '16 digits',
  decodeWalk: 'an answer of our own page script; split once at its separators',
  cutText: 'one page of 64 KiB',
  removeDaemonNote: 'our own file',
  renderDom: 'an outline of our own page script with limited numbers of nodes and characters',
  renderEffects: 'effects with limited numbers and characters',
  renderFinding: 'hits with limited numbers and characters',
  renderInspection: 'a report of our own page script with limited numbers of lines',
  renderLines: 'one toLine per request',
  renderPerformance: 'numbers and limited URLs',
  renderReceipt: 'effects with limited numbers and characters',
  renderReceiptLines: 'effects with limited numbers and characters',
  renderStateAfter: 'through renderPage and renderDiff',
  renderValidation: 'a report of our own page script with limited numbers of lines',
  renderArrivedHelper: 'a constant text',
  renderFrame: 'one renderLiteral',
  renderPlaywrightScript: 'one renderLiteral per recorded value',
  renderPuppeteerScript: 'one renderLiteral per recorded value',
  renderValue: 'one renderLiteral',
  toCaptured: 'copies fields',
  toConsoleText: "Chrome's previews, at most 100 entries of 100 characters per object",
  toExceptionText: "Chrome's previews, at most 100 entries of 100 characters per object",
  toFetchedPostData: 'decodeUtf8 of limited bytes',
  toFrames: 'a limited number of frames',
  toInitiator: 'a limited number of frames',
  toOpenApi: 'through describeApi',
  toPageCoordinates: 'numbers',
  toPausedRequest: 'copies fields',
  toPhases: 'numbers',
  toPostData: 'decodeUtf8 of limited bytes',
  toSent: 'copies fields',
  toTexts: 'arguments',
  toTtfbMs: 'numbers',
  toTypeScript: 'through describeApi',
  splitFlag: "a word of the owner's command line",
  toFailure: 'copies a failure',
  toCapturedSummary: 'copies fields of a request, whose headers Chrome limits',
  estimateReplyTokens: 'through estimateTokens',
};

const FOLDERS = [
  'src/core',
  'src/policy',
  'src/render',
  'src/features/crawl',
  'src/features/extract',
  'src/features/network',
  'src/features/recording',
  'src/browser/act',
  'src/browser/read',
  'src/browser/traffic',
  'src/store',
];
const VERBS = [
  'parse|render|sanitise|redact|hide|remove|decode|strip|cut|fold|collapse|count|normalise',
  'match|matches|fit|getAtPath|bound|endOf|startsAs|split|estimate|to(?=[A-Z])|coerce',
].join('|');
const EXPORTED = new RegExp(`^export const ((?:${VERBS})\\w*) = (?:async )?(?:<|\\()`, 'gm');

const exportedNames = (): string[] =>
  FOLDERS.flatMap((folder) => filesBelow(folder, '.ts'))
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ text }) => [...text.matchAll(EXPORTED)].map(([, name = '']) => name));

/** Repeated up to the wanted length. Each is the start, the end or a part of a syntax. */
const UNITS = [
  ...['<', '>', '</', '<a ', '<a b="', "<a b='", '<!--', '-->', '<!---->', '<!----!>', '<!'],
  ...[
    '<![CDATA[',
    ']]>',
    '<?',
    '<script>',
    '<title',
    '<input type=password value=',
    '<meta name="',
  ],
  ...['"', "'", '`', '\\', '\\"', '\\\\"', '&', '&amp;', '&#x41;', '&lt', '%', '%25', '\\u0041'],
  ...[' ', '\t', '\n', '\r\n', ' \n', 'a\n', ',', ';', ':', '=', 'a=b;', 'a=b&', '?a=', 'k: v\n'],
  ...['(', ')', '[', ']', '{', '}', '{"a":', '[1,', '"a":"b",', '[[', '}}'],
  ...['*', '**/', '/*', '*/', '/', '//', '../', '#', '# ', '-', '- ', '> ', '| a ', '1. ', '```\n'],
  ...['_', '.', '@', '|', '~', '$', '${', '0', '1,', 'a', 'A', 'ab ', 'then ', 'é', '中', '\u0301'],
  ...['\u200B', '\u202E', '\uFEFF', '\uD83C', '🏴\u{E0067}\u{E0062}', '👨\u200D', 'QUJD', '4142'],
  ...['eyJhbGciOi', 'eyJ.', 'Bearer ', 'password=', '"password":"', "'token':'a\"", 'token: '],
  ...['ignore all ', 'name="x"\r\n\r\n', '-----BEGIN PRIVATE KEY-----', 'http://a:', 'x-a-key: '],
  ...[
    'A="\n',
    'User-agent: *\n',
    'Disallow: /*a',
    'Sitemap: ',
    'AAAA;',
    'A,',
    'correct-horse-',
    'query{',
  ],
];

/** The first half of the text repeats the first unit, the second half the other. */
const HALVES = [
  ['User-agent: a\n', 'Crawl-delay: 1\n'],
  ['<a>', '</a>'],
  ['<!--', '-->'],
  ['(', ')'],
  ['[', ']'],
  ['{"a":', '}'],
  ['"', '\\'],
  ["'", '"'],
  ['a', '!'],
] as const;

const FIRST_CHARS = 16 * 1024;
/** In linear time the first text takes at most about 4 ms. */
const FIRST_LIMIT_MS = 37;
/** How many of the slowest texts are tried with longer texts. */
const SLOWEST = 4;

/** Tries every unit with a short text, and those that take longest with longer texts. */
const findProblems = (work: TextWork, units: readonly TextUnit[], chars?: number): string[] => {
  const tried = units.map((unit) => ({
    unit,
    ms: measureCpuMs(work, repeatUnit(unit, FIRST_CHARS)),
  }));
  const slow = tried.filter(
    ({ unit, ms }) =>
      ms > FIRST_LIMIT_MS && measureFastestMs(work, repeatUnit(unit, FIRST_CHARS)) > FIRST_LIMIT_MS,
  );
  if (slow.length > 0)
    return slow.map(({ unit, ms }) => `${JSON.stringify(unit)}: ${ms} ms for ${FIRST_CHARS}`);
  const slowest = tried.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  return slowest.flatMap(({ unit }) => findGrowth(work, unit, chars) ?? []);
};

describe('hostile text of 1 and 2 MB', () => {
  it.each(Object.entries(WORK))('takes linear time in %s', { timeout: 600_000 }, (_, work) => {
    expect(findProblems(work, [...UNITS, ...HALVES])).toEqual([]);
  });

  it('is tried on every exported parser and renderer, or its bound is listed here', () => {
    const names = exportedNames();
    expect(names.filter((name) => !(name in WORK) && !(name in BOUNDED))).toEqual([]);
    expect(Object.keys(BOUNDED).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('would be reported if the time were quadratic', () => {
    // Searches often enough to exceed FLOOR_MS several times, also on a fast machine.
    const slow: TextWork = (text) => {
      let found = 0;
      for (let at = 0; at < text.length; at += 24) found += text.indexOf('x', at);
      return found;
    };
    expect(findProblems(slow, ['é'], 256 * 1024)).toHaveLength(1);
    expect(isSuspicious(slow, 'é')).toBe(true);
  });
});
