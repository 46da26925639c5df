// Counts phrases in page text that address a model instead of a reader. Does not remove them.

const OF_US = [
  String.raw`(?:(?:your|the|these|those|all|any|every|my|our|of|previous|prior|`,
  String.raw`above|preceding|earlier|former|foregoing|existing|original|initial|`,
  String.raw`other|and|system|safety|developer|given)\s+){1,6}`,
].join('');
const ORDERS = [
  String.raw`(?:instructions?|prompts?|directives?|guidelines|rules|commands|`,
  String.raw`programming|context|constraints|training)`,
].join('');
const MODEL = [
  String.raw`(?:ai|llms?|(?:large )?language models?|ai (?:assistant|agent|`,
  String.raw`model|system)s?|chatbots?|assistants?|chatgpt|claude|gemini|`,
  String.raw`copilot)`,
].join('');
const SECRET = [
  String.raw`(?:cookies?|passwords?|credentials|api keys?|tokens?|secrets?|`,
  String.raw`conversation|chat history)`,
].join('');

/**
 * A rule's pattern is tried only around its anchors: rare words, found in one pass over the text.
 * Every part of a pattern is bounded, so that no text makes it slow.
 */
interface InstructionRule {
  readonly anchors: readonly string[];
  readonly pattern: RegExp;
}

const rule = (anchors: string | readonly string[], pattern: string): InstructionRule => ({
  anchors: typeof anchors === 'string' ? [anchors] : anchors,
  pattern: new RegExp(pattern, 'gi'),
});

/** Markers of speakers in chat formats; normal pages do not contain them. */
const CHAT_SIGNS = [
  '<|im_start|>',
  '<|im_end|>',
  '<|system|>',
  '<|endoftext|>',
  '<|start_header_id|>',
  '[/inst]',
  '<<sys>>',
];
const literal = (text: string): string => text.replace(/[|[\]<>/]/g, String.raw`\$&`);

const RULES: readonly InstructionRule[] = [
  rule(
    ['ignore', 'disregard', 'forget', 'override', 'bypass', 'discard'],
    [
      String.raw`\b(?:ignore|disregard|forget|override|bypass|discard)\s+(?:(?:everything|`,
      String.raw`anything|what)\b[^.\n]{0,40}\b(?:above|before|previously|`,
      String.raw`you were told)|${OF_US}${ORDERS})\b`,
    ].join(''),
  ),
  rule('do not follow', String.raw`\bdo not follow\s+${OF_US}${ORDERS}\b`),
  rule(
    ['system prompt', 'instructions'],
    [
      String.raw`\b(?:reveal|show|print|repeat|output|leak|display|tell me|give me|`,
      String.raw`share|send)\s+(?:me\s+)?(?:your|the)\s+(?:full\s+|entire\s+|exact\s+`,
      String.raw`)?(?:system prompt|(?:initial|hidden|original|secret|system)`,
      String.raw` instructions)\b`,
    ].join(''),
  ),
  rule('new instructions:', String.raw`\bnew instructions:`),
  rule(
    'you are now',
    [
      String.raw`\byou are now\s+(?:dan\b|in (?:developer|debug|god|jailbreak|admin|`,
      String.raw`root) mode|(?:an?\s+)?(?:unrestricted|unfiltered|uncensored|`,
      String.raw`jailbroken|evil|different)\b)`,
    ].join(''),
  ),
  rule(
    'from now on',
    [
      String.raw`\bfrom now on,?\s+you\s+(?:must|will|shall|should|are to)\s+(?:only\s+`,
      String.raw`|always\s+|never\s+)?(?:act|obey|follow|respond|answer|ignore|`,
      String.raw`reply|comply|behave|pretend)\b`,
    ].join(''),
  ),
  rule('if you are', String.raw`\bif you are\s+(?:an?\s+|the\s+)?${MODEL}\b`),
  rule('attention', String.raw`\battention,?:?\s+(?:all\s+)?${MODEL}\b`),
  rule(
    [
      ' ai',
      ' llm',
      'language model',
      'chatbot',
      'assistant',
      'chatgpt',
      'claude',
      'gemini',
      'copilot',
    ],
    [
      String.raw`\b(?:message|note|instruction|notice)s?\s+(?:for|to)\s+(?:the\s+|`,
      String.raw`any\s+|all\s+|every\s+)?${MODEL}(?:\s+(?:reading|processing|`,
      String.raw`visiting|browsing|summari[sz]ing)\b|\s*[:!])`,
    ].join(''),
  ),
  rule(
    ['the user', 'your user', 'the human', 'your operator'],
    [
      String.raw`\b(?:do not|don't|never|without)\s+(?:tell|inform|mention|reveal|`,
      String.raw`alert|notify|warn|disclos|ask)(?:e|ing)?\b[^.\n]{0,40}\b(?:the|`,
      String.raw`your)\s+(?:user|human|operator)\b`,
    ].join(''),
  ),
  rule(
    [' to http', ' to www', ' to this url', ' to this address', ' to the following'],
    [
      String.raw`\b(?:send|exfiltrate|forward|post|upload|transmit|leak)\b[^.\n]{0,40}`,
      String.raw`\b${SECRET}\b[^.\n]{0,40}\bto\s+`,
      String.raw`(?:https?:|www\.|this (?:url|address)|the following)`,
    ].join(''),
  ),
  ...CHAT_SIGNS.map((sign) => rule(sign, literal(sign))),

  // The same in other languages
  rule(
    'ignorier',
    String.raw`\bignorier(?:e|en sie|t)\b[^.\n]{0,40}\b(?:anweisungen|instruktionen)\b`,
  ),
  rule(
    'ignore',
    String.raw`\bignorez?\b[^.\n]{0,40}\b(?:instructions|consignes) (?:précédentes|antérieures)`,
  ),
  rule(
    'ignora',
    [
      String.raw`\bignora\b[^.\n]{0,40}\b(?:instrucciones|istruzioni) (?:anteriores|`,
      String.raw`previas|precedenti)\b`,
    ].join(''),
  ),
  rule('ignore as', String.raw`\bignore as\b[^.\n]{0,30}\binstruções (?:anteriores|acima)\b`),
  rule('игнорируй', 'игнорируй(?:те)?[^.\\n]{0,40}инструкци'),
  rule('忽略', '忽略[^。\\n]{0,15}(?:指令|指示|提示|说明)'),
  rule('無視', '(?:指示|命令|プロンプト)[^。\\n]{0,10}無視'),
  rule('무시', '(?:지시|명령|프롬프트)[^.\\n]{0,10}무시'),
];

/** How far from its anchor a pattern may match. */
const REACH_CHARS = 160;

const byAnchor = new Map<string, RegExp[]>();
for (const { anchors, pattern } of RULES)
  for (const anchor of anchors) byAnchor.set(anchor, [...(byAnchor.get(anchor) ?? []), pattern]);

/** All anchors, the longest first, so that "ignore as" does not match as "ignore". */
const ANCHORS = [...byAnchor.keys()].sort((a, b) => b.length - a.length);
const SIEVE = new RegExp(ANCHORS.map(literal).join('|'), 'gi');

/** The number of such phrases in the text; overlapping phrases count once. */
export const countInstructions = (text: string): number => {
  SIEVE.lastIndex = 0;
  if (!SIEVE.test(text)) return 0;
  SIEVE.lastIndex = 0;
  const found: Span[] = [];
  const tried = new Map<RegExp, number>();
  for (const { index, 0: word } of text.matchAll(SIEVE)) {
    for (const pattern of PATTERNS.get(word.toLowerCase()) ?? []) {
      const from = Math.max(0, index - REACH_CHARS, tried.get(pattern) ?? 0);
      const end = index + word.length + REACH_CHARS;
      for (const { index: at, 0: all } of text.slice(from, end).matchAll(pattern))
        found.push([from + at, from + at + all.length]);
      // A phrase that begins later is found from its own anchor.
      tried.set(pattern, index + word.length - 1);
    }
  }
  return distinct(found);
};

type Span = [start: number, end: number];

/** The patterns of "ignore" also apply to the anchor "ignore as". */
const PATTERNS = new Map(
  ANCHORS.map((word) => [
    word,
    [
      ...new Set(
        ANCHORS.filter((anchor) => word.startsWith(anchor)).flatMap(
          (anchor) => byAnchor.get(anchor) ?? [],
        ),
      ),
    ],
  ]),
);

const distinct = (found: Span[]): number => {
  let count = 0;
  let covered = -1;
  for (const [start, end] of found.sort(([a], [b]) => a - b)) {
    if (start >= covered) count++;
    covered = Math.max(covered, end);
  }
  return count;
};
