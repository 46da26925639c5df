// Tests of a workspace's requests: one order over all tabs, keys that stay, bounds, and what is
// left of closed tabs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Events } from '../../core/events.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { Body } from './bodies.ts';
import type { TrafficEvents } from './request-log.ts';
import { RequestDraft } from './request-record.ts';
import type { Traffic } from './traffic.ts';
import { WorkspaceTraffic, type WorkspaceLimits } from './workspace-traffic.ts';

const REDACTOR: Redactor = {
  text: (text) => text.replaceAll('hunter2', '***'),
  data: (data) => data,
  largeText: async (text) => REDACTOR.text(text),
  largeData: async (data) => data,
  learn: () => {},
  addSecret: () => {},
  learnFromPage: () => {},
  forOrigins: () => REDACTOR,
};

/** A fake recorder of a tab; the test emits its events. */
class FakeTraffic {
  readonly events = new Events<TrafficEvents>();
  readonly requests: RequestDraft[] = [];
  readonly startedAt = 1000;
  readonly bodies = new Map<RequestDraft, Body>();
  #sequence = 0;

  begin(url: string, over: Partial<RequestDraft> = {}, method = 'GET'): RequestDraft {
    const record = Object.assign(
      new RequestDraft(++this.#sequence, String(this.#sequence), url, method, {
        kind: 'page',
        targetId: 'T',
      }),
      { heldBytes: 100 },
      over,
    );
    this.requests.push(record);
    this.events.emit('request', record);
    return record;
  }

  end(record: RequestDraft, body?: string): void {
    record.state = 'finished';
    if (body !== undefined) this.bodies.set(record, { text: body });
    this.events.emit('finished', record);
  }

  heldBody(record: RequestDraft): Body | undefined {
    return this.bodies.get(record);
  }

  get real(): Traffic {
    return this as unknown as Traffic;
  }
}

const workspace = (
  limits: Partial<WorkspaceLimits> = {},
): { all: WorkspaceTraffic; open: (tabId?: string) => FakeTraffic } => {
  const all = new WorkspaceTraffic(REDACTOR, limits);
  return {
    all,
    open: (tabId = 'T') => {
      const traffic = new FakeTraffic();
      all.follow(traffic.real, tabId, { late: false });
      return traffic;
    },
  };
};

const keys = (all: WorkspaceTraffic): string[] => all.requests().map(({ key }) => key);

describe('keys', () => {
  it('are counted over all tabs, in order of first sight', () => {
    const { all, open } = workspace();
    const [one, two] = [open('1'), open('2')];
    one.begin('https://a.test/x');
    two.begin('https://a.test/x');
    one.begin('https://a.test/y');
    expect(all.requests().map(({ key, tabId }) => [key, tabId])).toEqual([
      ['GET a.test/x', '1'],
      ['GET a.test/x#2', '2'],
      ['GET a.test/y', '1'],
    ]);
  });

  it('of a tab that joins later are also assigned to its earlier requests', () => {
    const { all } = workspace();
    const traffic = new FakeTraffic();
    traffic.end(traffic.begin('https://a.test/x'));
    all.follow(traffic.real, 'T', { late: true });
    all.follow(traffic.real, 'T', { late: true });
    traffic.begin('https://a.test/x');
    expect(keys(all)).toEqual(['GET a.test/x', 'GET a.test/x#2']);
    expect(all.lateSince).toBe(1000);
  });

  it('wait for a body that is still loading, and do not change after they were listed', () => {
    const { all, open } = workspace();
    const traffic = open();
    const sent = traffic.begin('https://a.test/graphql', { postData: { why: 'pending' } }, 'POST');
    sent.postData = { text: '{"operationName":"Upload"}' };
    traffic.events.emit('response', sent);
    expect(keys(all)).toEqual(['Upload']);
    const late = traffic.begin('https://a.test/graphql', { postData: { why: 'pending' } }, 'POST');
    expect(keys(all)).toEqual(['Upload', 'POST a.test/graphql']);
    late.postData = { text: '{"operationName":"Upload"}' };
    traffic.end(late);
    expect(keys(all)).toEqual(['Upload', 'POST a.test/graphql']);
  });

  it('contain no secrets', () => {
    const { all, open } = workspace();
    open().begin('https://a.test/reset/hunter2');
    expect(keys(all)).toEqual(['GET a.test/reset/***']);
  });

  it('continue to count after the first ones were dropped', () => {
    const { all, open } = workspace({ requestCount: 2 });
    const traffic = open();
    for (let i = 0; i < 4; i++) traffic.begin('https://a.test/x');
    expect(keys(all)).toEqual(['GET a.test/x#3', 'GET a.test/x#4']);
    expect(all.evicted).toBe(2);
  });

  it('are the same for the same traffic, independent of reads in between', () => {
    const step = fc.record({
      tab: fc.nat(2),
      url: fc.constantFrom('https://a.test/x', 'https://a.test/y?1', 'https://b.test/x'),
      read: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const play = (reading: boolean): string[] => {
          const { all, open } = workspace();
          const tabs = [open('0'), open('1'), open('2')];
          for (const { tab, url, read } of steps) {
            tabs[tab]?.begin(url);
            if (reading && read) all.requests().filter(({ record }) => record.url.includes('y'));
          }
          return keys(all);
        };
        expect(play(true)).toEqual(play(false));
      }),
    );
  });
});

describe('the number of a request', () => {
  it('increases when the request ends, so that a pending one is listed again', () => {
    const { all, open } = workspace();
    const traffic = open();
    const slow = traffic.begin('https://a.test/slow');
    traffic.end(traffic.begin('https://a.test/quick'));
    const { cursor } = all;
    const later = (): string[] =>
      all.requests().flatMap(({ key, version }) => (version > cursor ? [key] : []));
    expect(later()).toEqual([]);
    traffic.end(slow);
    expect(later()).toEqual(['GET a.test/slow']);
  });
});

describe('a closed tab', () => {
  it('leaves its requests and the stored bodies', async () => {
    const { all, open } = workspace();
    const traffic = open();
    const [kept, lost] = [
      traffic.begin('https://a.test/kept'),
      traffic.begin('https://a.test/lost'),
    ];
    traffic.end(kept, '{"a":1}');
    traffic.end(lost);
    all.leave(traffic.real);
    const [first, second] = all.requests();
    expect(first?.traffic).toBeUndefined();
    expect(await all.body(first!)).toEqual({ text: '{"a":1}' });
    expect(await all.body(second!)).toEqual({ why: 'gone' });
  });

  it('leaves no more bodies than there is room for', async () => {
    const { all, open } = workspace({ closedBodyBytes: 25 });
    for (const name of ['a', 'b', 'c']) {
      const traffic = open();
      traffic.end(traffic.begin(`https://a.test/${name}`), name.repeat(10));
      all.leave(traffic.real);
    }
    const held = all.requests().map((seen) => all.heldBody(seen)?.text?.[0]);
    expect(held).toEqual([undefined, 'b', 'c']);
  });
});

describe('the stored bytes', () => {
  it('are bounded, and grow with the data of a request', () => {
    const { all, open } = workspace({ requestBytes: 1000 });
    const traffic = open();
    for (let i = 0; i < 8; i++) traffic.begin(`https://a.test/${i}`);
    const large = traffic.begin('https://a.test/large');
    large.heldBytes = 600;
    traffic.end(large);
    expect(all.evicted).toBeGreaterThanOrEqual(4);
    expect(keys(all).at(-1)).toBe('GET a.test/large');
  });
});
