// Tests of bodies as they are shown: JSON where it is JSON, cut where they are long, with the
// reason for what is missing.
import { describe, expect, it } from 'vitest';
import { describeContentShape, showContent } from './captured-content.ts';

const show = (text: string, contentType = 'application/json', maxBytes = 1000): object =>
  showContent({ text, size: Buffer.byteLength(text) }, { contentType, maxBytes, binary: false });

describe('a body', () => {
  it('of JSON is shown as JSON for any content type, with and without a byte order mark', () => {
    expect(show('{"a":1}')).toEqual({ body: { a: 1 } });
    expect(show('\uFEFF{"a":1}')).toEqual({ body: { a: 1 } });
    expect(show('[1]', 'text/plain')).toEqual({ body: [1] });
    expect(show('"x"', 'application/vnd.api+json')).toEqual({ body: 'x' });
  });

  it('that is not JSON is shown as text', () => {
    expect(show('{"a":1}\n{"a":2}', 'application/x-ndjson')).toEqual({ body: '{"a":1}\n{"a":2}' });
    expect(show('17', 'text/plain')).toEqual({ body: '17' });
    expect(show('{broken')).toEqual({ body: '{broken' });
  });

  it('with numbers that JSON would change is shown unchanged', () => {
    for (const text of [
      '{"id":12345678901234567890}',
      '[0.1234567890123456789]',
      '{"n":1e400}',
      '[9007199254740993]',
    ])
      expect(show(text)).toEqual({ body: text });
    for (const text of ['{"id":"12345678901234567890"}', '{"t":1763208000000}', '[1.5e3]'])
      expect(show(text)).toEqual({ body: JSON.parse(text) });
  });

  it('with texts that look like long numbers is shown as JSON', () => {
    for (const text of [
      '{"id":"1e788d4331567666"}',
      '{"a":"order 12345678901234567890, paid"}',
      '{"\\" 12345678901234567890 ":1}',
      '["\\\\","7e999"]',
    ])
      expect(show(text)).toEqual({ body: JSON.parse(text) });
  });

  it('with a long number between texts, or as the whole body, is shown unchanged', () => {
    for (const text of [
      '{"\\"":12345678901234567890,"b":"1e788"}',
      '["\\\\",9007199254740993]',
      '12345678901234567890',
    ])
      expect(show(text)).toEqual({ body: text });
  });

  it('that is too long is cut between characters, and reports it', () => {
    expect(show(`"${'é'.repeat(600)}"`, 'application/json', 100)).toEqual({
      body: `"${'é'.repeat(49)}`,
      body_truncated: true,
      body_full_size: 1202,
      body_why: 'larger than max_body 100: use path, or a larger max_body',
    });
  });

  it('that leads too deep is shown as text', () => {
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    expect(
      showContent(
        { text: deep },
        { contentType: 'application/json', maxBytes: 1e6, binary: false },
      ),
    ).toEqual({ body: deep });
  });

  it('of bytes is shown in base64 only on request', () => {
    const content = { base64: 'AAEC', size: 3 };
    expect(showContent(content, { contentType: 'x/y', maxBytes: 10, binary: false })).toMatchObject(
      { body: null },
    );
    expect(showContent(content, { contentType: 'x/y', maxBytes: 10, binary: true })).toEqual({
      body: 'AAEC',
      body_encoding: 'base64',
    });
  });

  it('that is missing has a reason', () => {
    expect(showContent({ why: 'gone' }, { contentType: '', maxBytes: 10, binary: false })).toEqual({
      body: null,
      body_why: 'gone',
    });
  });
});

describe('the shape of a body', () => {
  it.each([
    [{ text: '{"a":1}' }, 'application/json', { $: 'object', '$.a': 'number' }],
    [{ text: '<p>hi</p>' }, 'text/html', { $: 'string(len=9)' }],
    [{ text: '{"a":1}\n{"a":2}' }, 'application/x-ndjson', { $: 'string(len=15)' }],
    [{ base64: 'AAEC', size: 3 }, 'application/x-protobuf', { $: 'binary(3)' }],
    [{ why: 'no_body' }, 'application/json', { $: 'null' }],
    [{}, '', { $: 'null' }],
    [
      { text: '{"a":', cut: 'too large', size: 9000 },
      'application/json',
      { $: 'string(len=9000)' },
    ],
    [
      {
        parts: [
          { name: 'who', value: 'ada' },
          { name: 'file', filename: 'a' },
        ],
      },
      'multipart/form-data',
      { $: 'object', '$.who': 'string', '$.file': 'string' },
    ],
    [{ why: 'not fetched' }, 'image/png', { $: 'binary(77)' }],
    [{ why: 'not fetched' }, 'text/css', { $: 'string(len=77)' }],
  ])('%j of %s', (content, type, expected) => {
    expect(describeContentShape(content, type, 77)).toEqual(expected);
  });
});
