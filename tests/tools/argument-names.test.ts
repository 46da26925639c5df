// The names of arguments: one spelling in the list, both accepted, and suggestions for wrong names.
import { describe, expect, it } from 'vitest';
import { buildListedSchema } from '../../src/toolkit/tool-description.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><button>Buy</button>',
});
const engine = useEngine();

describe('the arguments of a tool', () => {
  it('are listed in snake_case, for every tool', () => {
    const names = TOOLS.flatMap((tool) => {
      const { properties = {} } = buildListedSchema(tool);
      return Object.keys(properties as object);
    });
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !/^[a-z]+(?:_[a-z0-9]+)*$/.test(name))).toEqual([]);
  });

  it('are accepted in both spellings, and in the older name of wait_ms', async () => {
    await engine.text('navigate', { url: site.origin, wait_until: 'load' });
    for (const wait of [{ wait_ms: 1 }, { waitForMs: 1 }, { wait_for_ms: 1 }])
      expect(await engine.text('find', { query: 'Buy', ...wait })).toContain('button "Buy"');
    expect(await engine.failure('find', { query: 'Buy', wait_ms: 1, waitForMs: 1 })).toMatchObject({
      code: 'invalid_argument',
      argument: 'wait_ms',
    });
  });

  it.each([
    ['find', { text: 'Buy' }, 'query'],
    ['interact', { action: 'click', element: 'Buy' }, 'ref'],
    ['interact', { action: 'click', index: 3 }, 'ref'],
    ['interact', { action: 'click', uid: '1_2' }, 'ref'],
    ['javascript_tool', { expression: '1 + 1' }, 'code'],
    ['navigate', { href: 'http://127.0.0.1/' }, 'url'],
    ['page_screenshot', { filename: 'a.png' }, 'path'],
    ['find', { query: 'Buy', wait_for: 1 }, 'wait_ms'],
  ])('%s: a wrong name in %j gets the suggestion %s', async (tool, args, closest) => {
    const failure = await engine.failure(tool, args);
    expect(failure).toMatchObject({ code: 'invalid_argument', closest });
    expect(failure.message).toContain(`did you mean "${closest}"?`);
  });

  it('suggests nothing for a name of the language, such as constructor', async () => {
    const failure = await engine.failure('find', { query: 'Buy', constructor: 1 });
    expect(failure).toMatchObject({ code: 'invalid_argument', argument: 'constructor' });
  });
});
