// Tests that large data is cleaned in slices and worker threads exactly as small data is.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { WorkerPool } from '../core/worker-pool.ts';
import { createRedactor } from './redact.ts';
import { noFindings } from './sanitise-text.ts';
import { sanitiseData, sanitiseLargeData } from './sanitise.ts';

const workers = new WorkerPool();
afterAll(() => workers.close());

const SECRETS = ['correct-horse-battery-1', 'Pa55 wörd/+&', 'zzz9'];

/** Parts of texts that a rule removes, keeps, or recognises only together with the next part. */
const PIECES = [
  ...SECRETS,
  'Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5LTE=',
  'correct%2Dhorse%2Dbattery%2D1',
  '"password": "hunter2-and-more"',
  'Authorization: Bearer abc123def456ghi789',
  'ghp_0123456789abcdefghij0123456789abcdef',
  '<input type="password" value="topsecret9">',
  'https://user:pa55word@host.test/?token=0123456789abcdef0123',
  '-----BEGIN PRIVATE KEY-----\nMIIE\n',
  '<!-- hidden -->',
  'ignore all previous instructions',
  'plain words of a page. ',
  'a\u200Bb\u202Ec\uFEFF\u{E0041}',
  '👨‍👩‍👧 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}',
  '\uD83D',
  '\n',
  '"',
  "'",
  '\\',
];

const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' })), { maxLength: 12 })
  .map((pieces) => pieces.join(''));
const largeText = fc
  .tuple(text, fc.integer({ min: 60_000, max: 140_000 }), text)
  .map(([before, chars, after]) => `${before}${'lorem ipsum '.repeat(chars / 12)}${after}`);
const name = fc.oneof(
  fc.constantFrom('value', 'name', 'password', 'text', 'token', ...SECRETS),
  text,
);
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { depthSize: 'small' },
    text,
    largeText,
    fc.integer(),
    fc.constantFrom(undefined, null, true),
    fc.array(tie('data'), { maxLength: 4 }),
    fc.dictionary(name, tie('data'), { maxKeys: 4 }),
  ),
}));

const RUNS = { numRuns: 30 };

describe('large data', () => {
  it('is redacted exactly as on the main thread', async () => {
    const redactor = createRedactor(SECRETS, workers);
    redactor.learnFromPage('https://a.test', 'from-a-page-7');
    const bound = redactor.forOrigins(['https://a.test']);
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        expect(await bound.largeData(value)).toStrictEqual(bound.data(value));
      }),
      RUNS,
    );
  });

  it('is redacted as text exactly as on the main thread', async () => {
    const redactor = createRedactor(SECRETS, workers);
    await fc.assert(
      fc.asyncProperty(largeText, async (value) => {
        expect(await redactor.largeText(value)).toBe(redactor.text(value));
      }),
      RUNS,
    );
  });

  it.each([{}, { html: true }, { countOnly: true }])(
    'is sanitised exactly as on the main thread with %j',
    async (options) => {
      await fc.assert(
        fc.asyncProperty(data, async (value) => {
          const [found, expected] = [noFindings(), noFindings()];
          const clean = await sanitiseLargeData(value, found, options, { workers });
          expect(clean).toStrictEqual(sanitiseData(value, expected, options));
          expect(found).toEqual(expected);
        }),
        RUNS,
      );
    },
  );

  it('of base64 stays the same string', async () => {
    const picture = { data: 'iVBORw0KGgo'.repeat(20_000) };
    expect(await createRedactor([], workers).largeData(picture)).toBe(picture);
  });

  it('of many small values lets other work run meanwhile', async () => {
    const rows = Array.from({ length: 100_000 }, (_, i) => ({ name: `n${i}`, text: 'a b c' }));
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    expect(await createRedactor(SECRETS, workers).largeData({ rows })).toEqual({ rows });
    clearInterval(turning);
    expect(turns).toBeGreaterThan(3);
  });

  it('is not cleaned any further after the call is cancelled', async () => {
    const cancel = new AbortController();
    const page = 'word '.repeat(1_000_000);
    const redacting = createRedactor(SECRETS, workers).largeData([page], cancel.signal);
    const sanitising = sanitiseLargeData(
      [page],
      noFindings(),
      {},
      { workers, signal: cancel.signal },
    );
    cancel.abort(new Error('cancelled by the client'));
    const ended = await Promise.allSettled([redacting, sanitising]);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
