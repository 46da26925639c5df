// `openchrome login` without a display: a hand-off, which the user completes in the dashboard.
import { expect, it } from 'vitest';
import { createShellUser, serveSite } from '../frontends/shell.ts';

interface Waiting {
  readonly waiting: readonly { id: string; kind: string; reason: string; session: string }[];
}

const serve = (): Promise<string> =>
  serveSite((request, response) => {
    const isIn = request.headers.cookie?.includes('user=ada') === true;
    response.setHeader('content-type', 'text/html');
    if (request.url?.startsWith('/in'))
      response.setHeader('set-cookie', 'user=ada; path=/; HttpOnly');
    response.end(isIn ? '<h1>Hello ada</h1>' : '<form action="/in"><button>Log in</button></form>');
  });
const WITHOUT_DISPLAY = { env: { DISPLAY: '', WAYLAND_DISPLAY: '' } };

/** Starts the command and logs in as the user would in the dashboard, up to the last step. */
const start = async () => {
  const origin = await serve();
  const user = await createShellUser();
  const { host } = new URL(origin); // the scheme is added, as by `open`
  const login = user.terminal(`openchrome login ${host} --as ada`, WITHOUT_DISPLAY);
  const find = async () => (await user.json<Waiting>('waiting')).waiting[0];
  await expect.poll(find, { timeout: 30_000 }).toMatchObject({ kind: 'handoff' });
  const { id, reason, session } = (await find()) ?? { id: '', reason: '', session: '' };
  expect(reason).toBe(`Log in to ${host}`);
  expect(login.shown()).toMatch(/dashboard[^]*http:\/\/127\.0\.0\.1:\d+\/\?ticket=/);
  await user.text('click', 'Log in', '--session', session);
  return { origin, user, login, id, session };
};

it('saves the login after Enter in the terminal, and closes its session', async () => {
  const { origin, user, login, session } = await start();
  login.write('\r');
  expect(await login.ended).toBe(0);
  expect(login.shown()).toContain('The login "ada" was saved: 1 cookie.');
  expect(await user.text('sessions')).not.toContain(session);
  expect(await user.text('login', 'list')).toMatch(
    /^NAME +HOSTS +COOKIES +EXPIRES\nada +127\.0\.0\.1 +1 +session$/,
  );
  await user.text('sessions', 'open', 'later', '--login', 'ada');
  await user.text('open', origin, '--session', 'later');
  expect(await user.text('get', 'text', '--session', 'later')).toContain('Hello ada');
});

it('saves nothing if the user answers that it cannot be done', async () => {
  const { user, login, id } = await start();
  await user.shown(`openchrome handoff cant ${id}`);
  expect(await login.ended).toBe(1);
  expect(login.shown()).toContain('No login was saved: the user could not log in.');
  expect(await user.text('login', 'list')).toBe('No login is saved.');
});

it('cannot be completed by an agent that runs the command without a terminal', async () => {
  const { user, login, id } = await start();
  expect(await user.failure('handoff', 'done', id)).toMatchObject({ code: 'tool_not_allowed' });
  login.write('\u0003');
  expect(await login.ended).toBe(130);
  expect(await user.text('login', 'list')).toBe('No login is saved.');
  expect((await user.json<Waiting>('waiting')).waiting).toEqual([]);
});
