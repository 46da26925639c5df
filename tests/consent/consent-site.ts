// What the tests of consent share: engines with a policy, pages with forms, and a user who answers.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import type { ApprovalScope } from '../../src/core/consent-rule.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import type { WaitingItem } from '../../src/store/consent/waiting-files.ts';
import { engineCalls, type Site, type TestEngine } from '../fixtures.ts';

/** An engine whose owner has these rules; `$HOST` in a domain is the host of the site. */
export const usePolicy = (
  rules: readonly object[],
  site: Site,
  flags: () => readonly string[] = () => ['--headless', '--isolated'],
): TestEngine & { readonly user: TestUser } => {
  let engine: Engine;
  let home = '';
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'openchrome-consent-'));
    const content = { policy: withHost(rules, site) };
    const config = resolveConfig({
      flags: ['--log-level', 'error', ...flags()],
      env: process.env,
      homeFile: { path: 'openchrome.json', content },
    });
    engine = createEngine({
      config,
      home: { ...resolveHome({ OPENCHROME_HOME: home }), browsers: resolveHome().browsers },
    });
  });
  afterAll(async () => {
    await engine.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    get engine() {
      return engine;
    },
    get home() {
      return home;
    },
    ...engineCalls(() => engine),
    user: createUser(() => engine),
  };
};

const withHost = (rules: readonly object[], site: Site): unknown =>
  JSON.parse(JSON.stringify(rules).replaceAll('$HOST', `127.0.0.1:${site.port}`));

export interface TestUser {
  /** The next question. */
  question(): Promise<WaitingItem>;
  /** Answers the next question; returns it. */
  approve(scope?: ApprovalScope): Promise<WaitingItem>;
  deny(): Promise<WaitingItem>;
  /** Open questions. */
  open(): Promise<readonly WaitingItem[]>;
}

const createUser = (engine: () => Engine): TestUser => {
  const answered = new Set<string>();
  const question = async (): Promise<WaitingItem> => {
    const waiting = await engine().waiting();
    for (;;) {
      const added = waiting.events.next('added', undefined, AbortSignal.timeout(20_000));
      added.catch(() => {}); // not needed if the item is already listed
      const [item] = (await waiting.list()).filter(({ id }) => !answered.has(id));
      if (item) return item;
      await added;
    }
  };
  const answer = async (allow: boolean, scope: ApprovalScope = 'once'): Promise<WaitingItem> => {
    const item = await question();
    answered.add(item.id);
    await (await engine().waiting()).answer(item.id, { allow, scope }, 'dashboard');
    return item;
  };
  return {
    question,
    approve: (scope) => answer(true, scope),
    deny: () => answer(false),
    open: async () => (await engine().waiting()).list(),
  };
};
