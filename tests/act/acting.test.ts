// Actions, case by case: the receipt is compared with the events that the page recorded.
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { type Case, pageOf } from './case.ts';
import { choosingCases } from './cases/choosing.ts';
import { clickCases } from './cases/clicks.ts';
import { formCases } from './cases/forms.ts';
import { reachCases } from './cases/reaching.ts';
import { receiptCases } from './cases/receipts.ts';
import { stepCases } from './cases/steps.ts';
import { typingCases } from './cases/typing.ts';

const site = useSite();
const server = useEngine();
let number = 0;

const withoutRefs = (text: string): string =>
  text.replaceAll(/\be\d+\b/g, 'e#').replaceAll(/\b[0-9A-F]{32}\b/g, 'TAB');

const open = async (one: Case): Promise<void> => {
  const other = `http://localhost:${site.port}`;
  for (const [path, answer] of Object.entries(one.site ?? {}))
    site.page(path, typeof answer === 'string' ? answer.replaceAll('{other}', other) : answer);
  await server.json('navigate', { url: site.page(`/case-${++number}`, pageOf(one, other)) });
};

const judge = async (one: Case): Promise<void> => {
  const startedAt = performance.now();
  const reply = await server.reply(...one.call);
  const took = performance.now() - startedAt;
  if (one.fails) {
    const { error } = reply.failure?.toJSON() ?? { error: { code: `no failure: ${reply.text}` } };
    expect(error.code, JSON.stringify(error)).toBe(one.fails[0]);
    if (one.fails[1]) expect(withoutRefs(JSON.stringify(error))).toMatch(one.fails[1]);
  } else {
    expect(reply.failure?.toJSON()).toBeUndefined();
    if (typeof one.says === 'string') expect(withoutRefs(reply.text ?? '')).toBe(one.says);
    else if (one.says) expect(withoutRefs(reply.text ?? '')).toMatch(one.says);
  }
  if (one.withinMs !== undefined) expect(took).toBeLessThan(one.withinMs);
  if (one.recorded === undefined) return;
  const [expression, value] =
    typeof one.recorded === 'string' ? ['log.join(", ")', one.recorded] : one.recorded;
  expect(
    JSON.parse(await server.text('javascript_tool', { code: `JSON.stringify(${expression})` })),
  ).toEqual(value);
};

/** A page that holds up its tab is left behind with it. */
const leaveDialogs = async (): Promise<void> => {
  const { tabs } = await server.json<{ tabs: { active?: true; dialog?: object }[] }>(
    'tabs_context',
  );
  if (!tabs.some(({ active, dialog }) => active && dialog)) return;
  await server.json('handle_dialog', {});
  await server.json('tabs', { action: 'close' });
};

const TABLES: Readonly<Record<string, readonly Case[]>> = {
  'a click': clickCases,
  'reaching a target': reachCases,
  'a receipt': receiptCases,
  'what is typed': typingCases,
  'what is chosen, scrolled, dragged or given': choosingCases,
  'a form': formCases,
  'steps, coordinates and waiting': stepCases,
};

for (const [subject, cases] of Object.entries(TABLES)) {
  describe(subject, () => {
    it.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
      await open(one);
      for (const call of one.first ?? []) await server.text(...call);
      await judge(one);
      await leaveDialogs();
    });
  });
}
