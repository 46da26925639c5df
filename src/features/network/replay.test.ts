// Tests of requests with changed variables.
import { describe, expect, it } from 'vitest';
import { changeRequest } from './replay.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const post = (body: unknown): Parameters<typeof changeRequest>[0] => ({
  url: 'https://a.test/x',
  method: 'POST',
  headers: JSON_TYPE,
  text: JSON.stringify(body),
});

describe('the changed request', () => {
  it('are the variables of a GraphQL operation', () => {
    const sent = changeRequest(
      post({ operationName: 'A', query: 'query A { a }', variables: { id: 1, n: 2 } }),
      { id: 7 },
    );
    expect(JSON.parse(sent.text ?? '')).toEqual({
      operationName: 'A',
      query: 'query A { a }',
      variables: { id: 7, n: 2 },
    });
  });

  it('are the fields of a JSON body, of a form, and the parameters of an address', () => {
    expect(JSON.parse(changeRequest(post({ a: 1, b: 2 }), { b: 3 }).text ?? '')).toEqual({
      a: 1,
      b: 3,
    });
    const form = {
      url: 'https://a.test/x',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      text: 'a=1&b=2',
    };
    expect(changeRequest(form, { b: 'x y', a: null }).text).toBe('b=x+y');
    const get = { url: 'https://a.test/x?page=1&q=a', method: 'GET', headers: {} };
    expect(changeRequest(get, { page: 2, q: null }).url).toBe('https://a.test/x?page=2');
  });

  it('are the variables in the address of a GraphQL query', () => {
    const get = {
      url: `https://a.test/g?operationName=A&variables=${encodeURIComponent('{"id":1}')}`,
      method: 'GET',
      headers: {},
    };
    expect(new URL(changeRequest(get, { id: 2 }).url).searchParams.get('variables')).toBe(
      '{"id":2}',
    );
  });

  it('is rejected if the body is not an object', () => {
    expect(() => changeRequest(post([1]), { a: 1 })).toThrow('not a JSON object');
    expect(() =>
      changeRequest(
        { url: 'https://a.test', method: 'POST', headers: {}, base64: 'AA==' },
        { a: 1 },
      ),
    ).toThrow('binary');
  });
});
