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
import {
  buildBaseKey,
  KeyBook,
  type WorkspaceLimits,
  WorkspaceTraffic,
} from './workspace-traffic.ts';

const REDACTOR: Redactor = {
  text: (text) => text.replaceAll('hunter2', '***'),
  data: (data) => data,
  largeText: async (text) => REDACTOR.text(text),
  largeData: async (data) => data,
  learn: () => {},
  addSecret: () => {},
  addCode: () => {},
  learnFromPage: () => {},
  forOrigins: () => REDACTOR,
  revision: 0,
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

interface Case {
  readonly method?: string;
  readonly url: string;
  readonly type?: string;
  readonly body?: unknown;
}

const API = 'https://api.test/graphql';
const keyOf = ({ method = 'POST', url, type = 'application/json', body }: Case): string =>
  buildBaseKey({
    method,
    url,
    requestHeaders: { 'Content-Type': type },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });

const form = (fields: Readonly<Record<string, string>>): string =>
  `${Object.entries(fields)
    .map(
      ([name, value]) =>
        `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')}--xx--\r\n`;
const FORM = 'multipart/form-data; boundary=xx';

describe('a GraphQL request is called by its operation', () => {
  it.each<[string, string, Case]>([
    [
      'the name in the body',
      'GetUser',
      { url: API, body: { operationName: 'GetUser', query: 'query Other { a }' } },
    ],
    [
      'the name alone',
      'GetUser',
      { url: API, body: { operationName: 'GetUser', variables: { id: 1 } } },
    ],
    [
      'the name at any address',
      'GetUser',
      { url: 'https://site.test/api/v2', body: { operationName: 'GetUser' } },
    ],
    [
      'a body with a byte order mark',
      'GetUser',
      { url: API, body: '\uFEFF{"operationName":"GetUser"}' },
    ],
    [
      'a body of another type',
      'GetUser',
      { url: API, type: 'text/plain;charset=UTF-8', body: { operationName: 'GetUser' } },
    ],
    [
      'a persisted query',
      'Feed',
      {
        url: API,
        body: {
          operationName: 'Feed',
          extensions: { persistedQuery: { version: 1, sha256Hash: 'ab' } },
        },
      },
    ],
    [
      'the first named operation',
      'GetUser',
      { url: API, body: { query: 'query GetUser($id: ID!) { user(id: $id) { name } }' } },
    ],
    [
      'a name that is null',
      'GetUser',
      { url: API, body: { operationName: null, query: 'query GetUser { a }' } },
    ],
    [
      'a name that is empty',
      'GetUser',
      { url: API, body: { operationName: '', query: 'query GetUser { a }' } },
    ],
    ['a mutation', 'AddItem', { url: API, body: { query: 'mutation AddItem { add { id } }' } }],
    ['a subscription', 'OnPrice', { url: API, body: { query: 'subscription OnPrice { price }' } }],
    [
      'after a fragment',
      'GetUser',
      { url: API, body: { query: 'fragment F on User { name } query GetUser { user { ...F } }' } },
    ],
    [
      'after a comment',
      'GetUser',
      { url: API, body: { query: '# query Wrong { a }\nquery GetUser { a }' } },
    ],
    [
      'not the word in a text',
      'GetUser',
      { url: API, body: { query: 'query GetUser { find(text: "mutation Wrong {") { id } }' } },
    ],
    [
      'not the field of that name',
      'GetUser',
      { url: API, body: { query: 'fragment F on Q { query mutation } query GetUser { a }' } },
    ],
    ['behind an unnamed one', 'Second', { url: API, body: { query: '{ a } query Second { b }' } }],
    ['with directives', 'GetUser', { url: API, body: { query: 'query GetUser @cached { a }' } }],
    ['a batch of one', 'A', { url: API, body: [{ operationName: 'A' }] }],
    ['a batch', 'A+B', { url: API, body: [{ operationName: 'A' }, { query: 'query B { b }' }] }],
    [
      'a batch that repeats',
      'A',
      { url: API, body: [{ operationName: 'A' }, { operationName: 'A' }] },
    ],
    [
      'a large batch',
      'A+B+C+2',
      { url: API, body: ['A', 'B', 'C', 'D', 'E'].map((operationName) => ({ operationName })) },
    ],
    [
      'a multipart request',
      'Upload',
      { url: API, type: FORM, body: form({ operations: '{"operationName":"Upload"}', map: '{}' }) },
    ],
    [
      'a multipart query',
      'Upload',
      { url: API, type: FORM, body: form({ operations: '{"query":"mutation Upload { a }"}' }) },
    ],
    [
      'a multipart batch',
      'A+B',
      {
        url: API,
        type: FORM,
        body: form({ operations: '[{"operationName":"A"},{"operationName":"B"}]' }),
      },
    ],
    [
      'a form',
      'Feed',
      {
        url: API,
        type: 'application/x-www-form-urlencoded',
        body: 'operationName=Feed&variables=%7B%7D',
      },
    ],
    [
      'the bare query',
      'GetUser',
      { url: API, type: 'application/graphql', body: 'query GetUser { a }' },
    ],
    [
      'the address',
      'GetUser',
      { method: 'GET', url: `${API}?operationName=GetUser&extensions=%7B%7D` },
    ],
    [
      'the query in the address',
      'GetUser',
      { method: 'GET', url: `${API}?query=${encodeURIComponent('query GetUser { a }')}` },
    ],
    [
      'the path behind an id',
      'UserTweets',
      {
        method: 'GET',
        url: 'https://x.test/i/api/graphql/V7H0Ap3_Hh2FyS75OCDO3Q/UserTweets?variables=1',
      },
    ],
    ['the path', 'UserTweets', { url: 'https://x.test/graphql/UserTweets/' }],
    [
      'the body before the path',
      'InBody',
      { url: 'https://x.test/graphql/InPath', body: { operationName: 'InBody' } },
    ],
  ])('%s: %s', (_, expected, request) => {
    expect(keyOf(request)).toBe(expected);
  });
});

describe('any other request is called by method, host and path', () => {
  it.each<[string, Case]>([
    ['GET api.test/users', { method: 'GET', url: 'https://api.test/users?page=2#top' }],
    ['GET api.test/', { method: 'GET', url: 'https://api.test' }],
    ['GET 127.0.0.1:8080/a/b', { method: 'GET', url: 'http://127.0.0.1:8080/a/b' }],
    ['GET [::1]:3000/x', { method: 'GET', url: 'http://[::1]:3000/x' }],
    ['GET api.test/users', { method: 'get', url: 'https://ada:pw@api.test/users' }],
    ['DELETE api.test/users/7', { method: 'DELETE', url: 'https://api.test/users/7' }],
    ['GET api.test/socket', { method: 'GET', url: 'wss://api.test/socket?token=1' }],
    ['GET api.test/a%20b', { method: 'GET', url: 'https://api.test/a b' }],
    ['GET xn--mnchen-3ya.test/', { method: 'GET', url: 'https://münchen.test/' }],
    ['POST api.test/search', { url: 'https://api.test/search', body: { query: 'red shoes' } }],
    [
      'POST api.test/search',
      { url: 'https://api.test/search', body: { query: 'query about shoes {size 7}' } },
    ],
    ['POST api.test/graphql', { url: API, body: { query: '{ viewer { id } }' } }],
    [
      'POST api.test/graphql',
      { url: API, body: { id: 'abc123', extensions: { persistedQuery: {} } } },
    ],
    ['POST api.test/graphql', { url: API, body: { operationName: 'not a name' } }],
    ['POST api.test/graphql', { url: API, body: '{"operationName": broken' }],
    ['POST api.test/graphql', { url: API }],
    ['OPTIONS api.test/graphql', { method: 'OPTIONS', url: `${API}?operationName=GetUser` }],
    ['POST x.test/graphql/v1', { url: 'https://x.test/graphql/v1' }],
    ['POST x.test/graphql/3f2a9c0b1d4e5f60', { url: 'https://x.test/graphql/3f2a9c0b1d4e5f60' }],
    [
      'GET x.test/graphql/schema.json',
      { method: 'GET', url: 'https://x.test/graphql/schema.json' },
    ],
    [
      'POST api.test/upload',
      { url: 'https://api.test/upload', type: FORM, body: form({ who: 'ada' }) },
    ],
    ['GET not an address', { method: 'GET', url: 'not an address' }],
    [`GET http://[${'x'.repeat(112)}`, { method: 'GET', url: `http://[${'x'.repeat(500)}` }],
    ['GET http://[', { method: 'GET', url: 'http://[#2' }],
  ])('%s', (expected, request) => {
    expect(keyOf(request)).toBe(expected);
  });
});

describe('repeats', () => {
  it('are numbered from 2 on, and the first stays bare', () => {
    const book = new KeyBook(100);
    expect(['A', 'B', 'A', 'A', 'B'].map((base) => book.give(base))).toEqual([
      'A',
      'B',
      'A#2',
      'A#3',
      'B#2',
    ]);
  });

  it('of long names are distinguished too', () => {
    const book = new KeyBook(100);
    const long = `GET api.test/${'x'.repeat(1000)}`;
    expect([long, `${long}y`, long].map((base) => book.give(base))).toEqual([
      long,
      `${long}y`,
      `${long}#2`,
    ]);
  });

  it('are counted for the most recent names, up to a limit', () => {
    const book = new KeyBook(10);
    for (let i = 0; i < 1000; i++) book.give(`GET api.test/${i}`);
    expect(book.give('GET api.test/999')).toBe('GET api.test/999#2');
  });
});

describe('for every kind of request', () => {
  const url = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string(),
    fc.constantFrom(API, `${API}/Get`, 'http://['),
  );
  const body = fc.oneof(
    fc.constant(undefined),
    fc.string(),
    fc.json(),
    fc.constantFrom('{"operationName":"A"}', '[{"operationName":"A"}]'),
  );

  it('keys are never shared, and never end in #1', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ url, body, method: fc.constantFrom('GET', 'POST', 'OPTIONS') }), {
          maxLength: 60,
        }),
        (requests) => {
          const book = new KeyBook(120);
          const keys = requests.map(({ url: address, body: sent, method }) =>
            book.give(
              buildBaseKey({
                method,
                url: address,
                requestHeaders: { 'content-type': 'application/json' },
                body: sent,
              }),
            ),
          );
          expect(new Set(keys).size).toBe(keys.length);
          expect(keys.filter((key) => key.endsWith('#1'))).toEqual([]);
        },
      ),
    );
  });
});
