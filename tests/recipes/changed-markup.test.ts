// A property of recipes: on a page with changed markup a run does the same, or stops.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

/** The pages by the query of their address. */
const pages = new Map<string, string>();
/** The identities of the buttons that were pressed, by the query of their page. */
const pressed = new Map<string, string[]>();

const site = useSite({
  '/': ({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(pages.get(url.split('?')[1] ?? ''));
  },
  '/did': ({ url = '' }, response) => {
    const [page = '', id = ''] = (url.split('?')[1] ?? '').split('&');
    pressed.get(page)?.push(id);
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
    `onclick="fetch('/did' + location.search + '&${id}')"`,
  ].join(' ');
  return `${'<div>'.repeat(wraps)}<${tag} ${attributes}>${name}</${tag}>${'</div>'.repeat(wraps)}`;
};

/** A page of the run; `exchanged` is the button that has the name of the first one, and its own. */
interface ShownPage {
  readonly order: readonly string[];
  readonly buttons: readonly ShownButton[];
  readonly exchanged: number | undefined;
}

const shownPage: fc.Arbitrary<ShownPage> = fc.record({
  order: fc.shuffledSubarray(['0', '1', '2', '3', '4']),
  buttons: fc.tuple(button('0'), button('1'), button('2'), button('3'), button('4')),
  exchanged: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

const exchangeNames = (buttons: readonly ShownButton[], other: number): ShownButton[] =>
  buttons.map((one, index) => {
    if (index === 0) return { ...one, name: NAMES[other] ?? '' };
    return index === other ? { ...one, name: NAMES[0] ?? '' } : one;
  });

const IDS = ['0', '1', '2', '3', '4'];
const recordedButtons = (withTestIds: boolean): ShownButton[] =>
  IDS.map((id) => ({
    id,
    name: NAMES[Number(id)] ?? '',
    testId: withTestIds ? `button-${id}` : undefined,
    hidden: false,
    wraps: 0,
    tag: 'button',
  }));

const UNCHANGED: ShownPage = { order: IDS, buttons: recordedButtons(true), exchanged: undefined };

/**
 * An exchange is visible only by the facts that stay: the test ids, or without them the order of
 * buttons that are all there.
 */
const applyExchange = ({ order, buttons, exchanged }: ShownPage, withTestIds: boolean): string => {
  const ids = (one: ShownButton): ShownButton =>
    withTestIds ? { ...one, testId: `button-${one.id}` } : { ...one, testId: undefined };
  if (exchanged === undefined)
    return renderButtons(order, withTestIds ? buttons : buttons.map(ids));
  if (withTestIds) return renderButtons(order, exchangeNames(buttons.map(ids), exchanged));
  return renderButtons(IDS, exchangeNames(recordedButtons(false), exchanged));
};

const renderButtons = (order: readonly string[], buttons: readonly ShownButton[]): string =>
  `<!doctype html><link rel="icon" href="data:,"><title>Buttons</title>${order
    .map((id) => buttons.find((one) => one.id === id))
    .map((one) => (one ? render(one) : ''))
    .join('')}`;

interface PageRun {
  readonly shown: ShownPage;
  readonly failure: string | undefined;
  readonly pressed: readonly string[] | undefined;
}

const DONE = { failure: undefined, pressed: ['0'] };
const STOPPED = { failure: 'recipe_stopped', pressed: [] };

/** The runs wait up to 3 s for a missing button, so several run at once, each in its session. */
const PAGES_AT_ONCE = 8;

const show = (key: string, page: string): void => {
  pages.set(key, page);
  pressed.set(key, []);
};

it.each([
  ['with test ids', true],
  ['without attributes', false],
])(
  'a run on changed markup presses the recorded button %s, or stops',
  { timeout: 200_000 },
  async (_, withTestIds) => {
    show('recorded', renderButtons(IDS, recordedButtons(withTestIds)));
    const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', {
      objective: 'press',
    });
    await engine.text('navigate', { url: `${site.origin}/?recorded`, taskId: task_id });
    await engine.text('interact', { action: 'click', query: 'Save', taskId: task_id });
    await engine.json('oc_recipe', {
      name: 'press',
      from_task: task_id,
      params: { page: 'recorded' },
    });

    const outcomes = { done: 0, stopped: 0 };
    const runOn = async (shown: ShownPage, session: string): Promise<PageRun> => {
      show(session, applyExchange(shown, withTestIds));
      const given = { run: 'press', params: { page: session }, timeout_ms: 20_000 };
      const { failure } = await engine.reply('oc_recipe', given, session);
      outcomes[failure ? 'stopped' : 'done']++;
      return { shown, failure: failure?.code, pressed: pressed.get(session) };
    };
    const manyPages = fc.array(shownPage, {
      minLength: PAGES_AT_ONCE,
      maxLength: PAGES_AT_ONCE,
    });
    await fc.assert(
      fc.asyncProperty(manyPages, async (shown) => {
        const runs = await Promise.all(shown.map((one, index) => runOn(one, `page${index}`)));
        for (const run of runs) expect(run).toMatchObject(run.failure ? STOPPED : DONE);
      }),
      { numRuns: 3, examples: [[[UNCHANGED, { ...UNCHANGED, exchanged: 2 }]]] },
    );
    expect(outcomes.done).toBeGreaterThan(0);
    expect(outcomes.stopped).toBeGreaterThan(0);
  },
);
