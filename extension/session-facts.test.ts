// The script worlds that the server may use, and the events of other ones.
import { beforeEach, describe, expect, it } from 'vitest';
import { SessionFacts } from './session-facts.ts';

let facts: SessionFacts;
const create = (id: number, origin: string): boolean =>
  facts.follow('Runtime.executionContextCreated', {
    context: { id, uniqueId: `unique-${id}`, origin },
  });

beforeEach(() => {
  facts = new SessionFacts();
  create(1, 'https://example.com');
});

describe('a script world', () => {
  it('of the page can be used until it is destroyed', () => {
    expect(() => facts.checkContext({ contextId: 1 })).not.toThrow();
    expect(() => facts.checkContext({ uniqueContextId: 'unique-1' })).not.toThrow();
    facts.follow('Runtime.executionContextDestroyed', {
      executionContextId: 1,
      executionContextUniqueId: 'unique-1',
    });
    expect(() => facts.checkContext({ contextId: 1 })).toThrow('Cannot find context');
    expect(() => facts.checkContext({ uniqueContextId: 'unique-1' })).toThrow();
  });

  it('of another extension is not reported and cannot be used', () => {
    expect(create(2, 'chrome-extension://abc')).toBe(false);
    for (const named of [
      { contextId: 2 },
      { executionContextId: 2 },
      { uniqueContextId: 'unique-2' },
    ])
      expect(() => facts.checkContext(named)).toThrow('Cannot find context');
  });

  it('that was not reported cannot be used', () => {
    expect(() => facts.checkContext({ executionContextId: 3 })).toThrow('Cannot find context');
  });
});

it('messages, exceptions and bindings of another extension are not reported', () => {
  create(2, 'chrome-extension://abc');
  const isReported = (method: string, id: number): boolean =>
    facts.follow(
      method,
      method === 'Runtime.exceptionThrown'
        ? { exceptionDetails: { executionContextId: id } }
        : { executionContextId: id },
    );
  for (const event of ['consoleAPICalled', 'exceptionThrown', 'bindingCalled'])
    expect([1, 2].map((id) => isReported(`Runtime.${event}`, id))).toEqual([true, false]);
});

it('the address of a request is known while it is paused', () => {
  const url = 'https://example.com/a';
  facts.follow('Fetch.requestPaused', { requestId: '1', request: { url } });
  expect(facts.findRequestUrl({ requestId: '1' })).toBe(url);
  facts.finish('Fetch.fulfillRequest', { requestId: '1' });
  expect(facts.findRequestUrl({ requestId: '1' })).toBeUndefined();
});
