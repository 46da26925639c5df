// oc_handoff: the agent waits for the user, and learns what changed but not what was typed.
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/login': `<title>Log in</title><form action="/in"><input name="code"><button>Go</button></form>`,
  '/in': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'sid=1; HttpOnly' });
    response.end('<title>Welcome</title><p>Welcome back</p>');
  },
});
const engine = useEngine();

const open = (): Promise<string> => engine.text('navigate', { url: `${site.origin}/login` });
const next = async () => {
  const waiting = await engine.engine.waiting();
  const added = waiting.events.next('added', undefined, AbortSignal.timeout(20_000));
  added.catch(() => {}); // not needed if the item is already listed
  const [item] = await waiting.list();
  return item ?? added;
};
const logIn = (): Promise<string> =>
  engine.text('javascript_tool', {
    code: 'document.querySelector("input").value = "TYPED-4711"; document.forms[0].submit(); 1',
  });

interface Result {
  readonly outcome: string;
}

it('ends when the user is done, and reports the page, the login and the requests', async () => {
  await open();
  const reply = engine.json<Result>('oc_handoff', { reason: 'Enter the code' });
  const item = await next();
  expect(item).toMatchObject({ kind: 'handoff', reason: 'Enter the code', session: 'default' });
  await logIn();
  await engine.text('wait_for', { text: 'Welcome back' });
  await (await engine.engine.waiting()).finishHandoff(item.id, 'done', 'dashboard');
  const result = await reply;
  expect(result).toMatchObject({
    outcome: 'done',
    url: `${site.origin}/in`,
    url_before: `${site.origin}/login`,
    title: 'Welcome',
    title_before: 'Log in',
    logins_gained: ['127.0.0.1'],
    requests: { [`127.0.0.1:${site.port}`]: expect.any(Number) as number },
  });
  expect(JSON.stringify(result)).not.toContain('TYPED');
});

it('does not report typed text that the page puts into its title and its path', async () => {
  site.page(
    '/name',
    `<title>Your name</title><input aria-label="Name" autofocus
       oninput="document.title = 'Hello ' + this.value; history.replaceState(0, '', '/u/' + this.value)">`,
  );
  const { tabId } = await engine.json<{ tabId: string }>('navigate', {
    url: `${site.origin}/name`,
  });
  const reply = engine.json<Result>('oc_handoff', { reason: 'Enter your name' });
  const { id } = await next();
  const takeOver = await engine.engine.takeOver();
  const signal = AbortSignal.timeout(20_000);
  await takeOver.begin(tabId, 'viewer', signal);
  const text = { type: 'text', text: 'Grace 4711' } as const;
  await takeOver.input(tabId, 'viewer', text, signal);
  await engine.text('wait_for', { function: 'document.title === "Hello Grace 4711"' });
  await takeOver.giveBack(tabId, 'viewer');
  await (await engine.engine.waiting()).finishHandoff(id, 'done', 'dashboard');
  expect(await reply).toMatchObject({
    outcome: 'done',
    title: 'Hello [typed]',
    url: `${site.origin}/u/[typed]`,
    url_before: `${site.origin}/name`,
  });
});

it.each([{ url: '**/in*' }, { text: 'Welcome back' }, { selector: 'p' }])(
  'ends when %j is true',
  async (until) => {
    await open();
    const reply = engine.json<Result>('oc_handoff', { reason: 'Log in', until });
    await next();
    await logIn();
    expect(await reply).toMatchObject({ outcome: 'until', title: 'Welcome' });
    expect(await (await engine.engine.waiting()).list()).toEqual([]);
  },
);

it('ends when the user cannot do it, or after the timeout', async () => {
  await open();
  const reply = engine.json<Result>('oc_handoff', { reason: 'Log in' });
  const { id } = await next();
  await (await engine.engine.waiting()).finishHandoff(id, 'cant', 'dashboard');
  expect(await reply).toMatchObject({ outcome: 'cant' });
  expect(await engine.json('oc_handoff', { reason: 'Log in', timeout_ms: 300 })).toMatchObject({
    outcome: 'timeout',
  });
});

it('runs as a background task that can be cancelled', async () => {
  await open();
  const start = () =>
    engine.json<{ task_id: string }>('oc_task_start', {
      kind: 'oc_handoff',
      args: { reason: 'Log in' },
    });
  const first = await start();
  const { id } = await next();
  await (await engine.engine.waiting()).finishHandoff(id, 'done', 'dashboard');
  expect(await engine.json('oc_task_wait', { task_id: first.task_id })).toMatchObject({
    status: 'COMPLETED',
  });
  const second = await start();
  await next();
  expect(await engine.json('oc_task_cancel', { task_id: second.task_id })).toMatchObject({
    status: 'CANCELLED',
  });
  await expect.poll(async () => (await engine.engine.waiting()).list()).toEqual([]);
});
