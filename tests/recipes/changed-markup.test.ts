// A property of recipes: on a page with changed markup a run does the same, or stops.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

/** The identities of the buttons that were pressed. */
const pressed: string[] = [];
let page = '';

const site = useSite({
  '/': (_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(page);
  },
  '/did': (request, response) => {
    pressed.push((request.url ?? '').split('?')[1] ?? '');
    response.end();
  },
});
const engine = useEngine();

interface ShownButton {
  readonly id: string;
  readonly name: string;
  readonly testId: string | undefined;
  readonly hidden: boolean;
  readonly wraps: number;
  readonly tag: 'button' | 'a';
}

const NAMES = ['Save', 'Cancel', 'Delete', 'Save all', 'Send'];

const button = (id: string): fc.Arbitrary<ShownButton> =>
  fc.record({
    id: fc.constant(id),
    // the name is kept, or changed to one that another button may have
    name: fc.oneof(
      { weight: 2, arbitrary: fc.constant(NAMES[Number(id)] ?? '') },
      { weight: 1, arbitrary: fc.constantFrom('Store', 'Keep', ' ') },
    ),
    testId: fc.option(fc.constant(`button-${id}`), { nil: undefined }),
    hidden: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
    wraps: fc.nat({ max: 3 }),
    tag: fc.constantFrom('button', 'button', 'a'),
  });

const render = ({ id, name, testId, hidden, wraps, tag }: ShownButton): string => {
  const attributes = [
    testId === undefined ? '' : `data-testid="${testId}"`,
    hidden ? 'hidden' : '',
    tag === 'a' ? 'href="#"' : 'type="button"',
    `onclick="fetch('/did?${id}')"`,
  ].join(' ');
  return `${'<div>'.repeat(wraps)}<${tag} ${attributes}>${name}</${tag}>${'</div>'.repeat(wraps)}`;
};

it(
  'a run on changed markup presses the recorded button, or stops',
  { timeout: 120_000 },
  async () => {
    await engine.json('oc_recipe', {
      source: `name: press\nsite: 127.0.0.1\nsteps:
  - open: ${site.origin}/
  - action: click
    target: { role: button, name: Save, testId: button-0 }`,
    });
    const outcomes = { done: 0, stopped: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(['0', '1', '2', '3', '4']),
        fc.tuple(button('0'), button('1'), button('2'), button('3'), button('4')),
        async (order, buttons) => {
          pressed.splice(0);
          page = `<!doctype html><link rel="icon" href="data:,"><title>Buttons</title>${order
            .map((id) => buttons.find((one) => one.id === id))
            .map((one) => (one ? render(one) : ''))
            .join('')}`;
          const { failure } = await engine.reply('oc_recipe', { run: 'press', timeout_ms: 20_000 });
          if (failure) {
            expect(failure.code).toBe('recipe_stopped');
            expect(pressed).toEqual([]);
            outcomes.stopped++;
          } else {
            expect(pressed).toEqual(['0']);
            outcomes.done++;
          }
        },
      ),
      { numRuns: 20 },
    );
    expect(outcomes.done).toBeGreaterThan(0);
    expect(outcomes.stopped).toBeGreaterThan(0);
  },
);
