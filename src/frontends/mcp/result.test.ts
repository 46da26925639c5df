// Tests of result.ts.
import { expect, it } from 'vitest';
import { fail } from '../../core/failure.ts';
import { toResult } from './result.ts';

const PLAIN = { asked: false, promised: false };

it('never answers with nothing', () => {
  expect(toResult({ images: [], notes: [] }, PLAIN)).toEqual({
    content: [{ type: 'text', text: 'Done.' }],
  });
  expect(toResult({ images: [], notes: [], text: '' }, PLAIN)).toEqual({
    content: [{ type: 'text', text: '' }],
  });
});

it('returns the notes of a failed call after its one JSON block', () => {
  const failure = fail('timeout', 'No answer within 5 ms.');
  expect(toResult({ images: [], notes: ['budget:\r\n 7/6'], failure }, PLAIN)).toEqual({
    isError: true,
    content: [
      { type: 'text', text: JSON.stringify(failure.toJSON()) },
      { type: 'text', text: 'budget: 7/6' },
    ],
  });
});

it.each([
  [
    'an object as it is',
    { images: [], notes: [], text: '{"a":1}', json: { a: 1 } },
    false,
    { a: 1 },
  ],
  [
    'a list in an object',
    { images: [], notes: [], text: '[1]', json: [1] },
    false,
    { result: [1] },
  ],
  [
    'a text only if structure was promised',
    { images: [], notes: [], text: 'hi' },
    true,
    { result: 'hi' },
  ],
  ['nothing for a text otherwise', { images: [], notes: [], text: 'hi' }, false, undefined],
])('structures %s', (_, reply, promised, structuredContent) => {
  expect(toResult(reply, { asked: true, promised }).structuredContent).toEqual(structuredContent);
});
