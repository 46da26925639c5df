// Fetches robots.txt per origin and parses it as RFC 9309 and Google's parser do.
import { getOrCreate } from '../../core/collections.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import { Failure } from '../../core/failure.ts';
import { cutToCharacters, textBefore } from '../../core/text.ts';
import type { RobotsFile, RobotsFiles } from '../../store/cluster/cluster-store.ts';
import { type Fetcher, PRODUCT } from './fetcher.ts';
import { RefusedUrl, type Scope } from './scope.ts';

const RULE_KEYS = new Set<string>(['allow', 'disallow']);

interface RobotsRule {
  readonly allow: boolean;
  readonly pattern: string;
}

interface RobotsGroup {
  readonly agents: string[];
  readonly rules: RobotsRule[];
  /** Crawl-delay in seconds by agent; a crawl-delay line applies to the agents listed before it. */
  readonly delays: Map<string, number>;
  /** Number of agents, from the first on, that have a crawl-delay. */
  delayed: number;
}

interface Robots {
  allows(address: string): boolean;
  /** The crawl-delay, if there is one. */
  readonly delayMs?: number;
  readonly sitemaps: readonly string[];
}

const ALLOW_ALL: Robots = { allows: () => true, sitemaps: [] };
const DISALLOW_ALL: Robots = { allows: () => false, sitemaps: [] };

/** The rest of a longer file is ignored, as in Google's parser. */
const MAX_ROBOTS_BYTES = 500 * 1024;
const MAX_LINE_CHARS = 16_664;
// 8 times the common maximum URL length, as in Google's parser

/** `agent`: the product token of the crawler, such as "OpenChrome". */
export const parseRobots = (text: string, agent: string): Robots => {
  const { groups, sitemaps } = readGroups(text);
  const own = groupsFor(groups, agent.toLowerCase());
  const rules = own.flatMap((group) => group.rules);
  const name = own[0]?.agents.includes(agent.toLowerCase()) ? agent.toLowerCase() : '*';
  const delay = own.map(({ delays }) => delays.get(name)).find((seconds) => seconds !== undefined);
  return {
    allows: (address) => allows(rules, address),
    ...defined({ delayMs: ifDefined(delay, (delay) => delay * 1000) }),
    sitemaps,
  };
};

/** Returns the groups that name the agent, else those for `*`. */
const groupsFor = (groups: readonly RobotsGroup[], agent: string): RobotsGroup[] => {
  const named = groups.filter(({ agents }) => agents.includes(agent));
  return named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
};

const readGroups = (text: string): { groups: RobotsGroup[]; sitemaps: string[] } => {
  const groups: RobotsGroup[] = [];
  const sitemaps: string[] = [];
  let group: RobotsGroup | undefined;
  let namesAgents = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const entry = parseLine(line.slice(0, MAX_LINE_CHARS));
    if (!entry) continue;
    const { key, value } = entry;
    if (key === 'user-agent') {
      // Consecutive user-agent lines share the following rules. Only allow and disallow lines end
      // such a list.
      if (!group || !namesAgents)
        groups.push((group = { agents: [], rules: [], delays: new Map(), delayed: 0 }));
      group.agents.push(agentToken(value));
      namesAgents = true;
    } else if (key === 'sitemap') sitemaps.push(value);
    else if (RULE_KEYS.has(key)) {
      namesAgents = false;
      if (value !== '') group?.rules.push(...buildRules(key === 'allow', normalisePath(value)));
    } else if (key === 'crawl-delay' && group) {
      const seconds = Number(value);
      if (value === '' || !Number.isFinite(seconds) || seconds < 0) continue;
      // The first delay after an agent counts; agents that have one are not visited again.
      for (const agent of group.agents.slice(group.delayed))
        if (!group.delays.has(agent)) group.delays.set(agent, seconds);
      group.delayed = group.agents.length;
    }
  }
  return { groups, sitemaps };
};

/** Allowing a folder's index.html also allows the folder URL, as in Google's parser. */
const buildRules = (allow: boolean, pattern: string): RobotsRule[] => {
  const [, folder] = (allow && /^(.*\/)index\.htm[^/]*$/.exec(pattern)) || [];
  if (folder === undefined) return [{ allow, pattern }];
  return [
    { allow, pattern },
    { allow, pattern: `${folder}$` },
  ];
};

/** Accepts the same misspellings as Google's parser. */
const KEYS: readonly (readonly [RegExp, string])[] = [
  [/^user[- ]?agent$/, 'user-agent'],
  [/^allow$/, 'allow'],
  [/^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)$/, 'disallow'],
  [/^site-?map$/, 'sitemap'],
  [/^crawl-?delay$/, 'crawl-delay'],
];

const parseLine = (line: string): { key: string; value: string } | undefined => {
  const bare = textBefore(line, '#').trim();
  const colon = bare.indexOf(':');
  // Uses no regular expression around the colon: it would be quadratic for long runs of white
  // space.
  const [word = '', value = ''] =
    colon < 0
      ? (/^(\S+)\s+(\S+)$/.exec(bare)?.slice(1) ?? [])
      : [bare.slice(0, colon), bare.slice(colon + 1)];
  const key = KEYS.find(([pattern]) => pattern.test(word.trim().toLowerCase()))?.[1];
  return key === undefined ? undefined : { key, value: value.trim() };
};

/** Parses the agent name: "FooBot/1.2" and "foobot something" are both "foobot". */
const agentToken = (value: string): string =>
  value.startsWith('*') && /^\*(?:\s|$)/.test(value)
    ? '*'
    : (/^[a-z_-]+/i.exec(value)?.[0] ?? '').toLowerCase();

/** The longest matching rule applies; if two have the same length, the one that allows. */
const allows = (rules: readonly RobotsRule[], address: string): boolean => {
  const { pathname, search } = new URL(address);
  if (pathname === '/robots.txt') return true;
  const path = normalisePath(pathname + search);
  let best: RobotsRule | undefined;
  for (const rule of rules) {
    if (
      best &&
      (rule.pattern.length < best.pattern.length ||
        (rule.pattern.length === best.pattern.length && best.allow))
    )
      continue;
    if (matches(rule.pattern, path)) best = rule;
  }
  return best?.allow ?? true;
};

/**
 * Normalizes percent-encoding: uppercase escapes, non-ASCII escaped, unreserved characters plain.
 */
const normalisePath = (path: string): string =>
  path
    .replace(/[\u0080-\uFFFF]+/g, (text) => encodeURIComponent(cutToCharacters(text)))
    .replace(/%[0-9a-f]{2}/gi, (escape) => {
      const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
    });

/** Matches `*` and a final `$` in one pass over the path, without backtracking. */
const matches = (pattern: string, path: string): boolean => {
  const anchored = pattern.endsWith('$');
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const [first = ''] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const [i, part] of parts.slice(1).entries()) {
    if (anchored && i === parts.length - 2)
      return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return !anchored || at === path.length;
};

// Fetches and caches the robots.txt of each origin.

const TIMEOUT_MS = 10_000;

/** Each crawl fetches the files that it needs. */
const OWN_FILES: RobotsFiles = { load: (_origin, fetch) => fetch() };

export class RobotsBook {
  readonly #fetcher: Fetcher;
  readonly #scope: Scope;
  readonly #files: RobotsFiles;
  readonly #books = new Map<string, Promise<Robots>>();

  constructor(fetcher: Fetcher, scope: Scope, files: RobotsFiles = OWN_FILES) {
    this.#fetcher = fetcher;
    this.#scope = scope;
    this.#files = files;
  }

  of(address: string, signal: AbortSignal): Promise<Robots> {
    const { origin, protocol } = new URL(address);
    if (protocol === 'file:') return Promise.resolve(ALLOW_ALL);
    return getOrCreate(this.#books, origin, async () =>
      read(await this.#files.load(origin, () => this.#fetch(origin, signal), signal)),
    );
  }

  async #fetch(origin: string, signal: AbortSignal): Promise<RobotsFile> {
    try {
      const mayGoTo = (target: string): void => this.#mayGoTo(target, origin);
      const options = {
        accept: 'text/plain,*/*;q=0.5',
        maxBytes: MAX_ROBOTS_BYTES,
        timeoutMs: TIMEOUT_MS,
        signal,
        mayGoTo,
      };
      const { status, body } = await this.#fetcher.fetch(`${origin}/robots.txt`, options);
      return { status, text: new TextDecoder().decode(body) };
    } catch (error) {
      signal.throwIfAborted();
      // A timeout disallows the origin. After other errors everything is allowed: loading the page
      // then reports the error.
      const isTimeout = error instanceof Failure && error.code === 'timeout';
      return { status: isTimeout ? 503 : 404, text: '' };
    }
  }

  /**
   * Allows redirects within the scope or the same site (http to https, www). After any other
   * redirect the robots.txt counts as missing.
   */
  #mayGoTo(target: string, origin: string): void {
    if (!this.#scope.holdsPlace(target) && !this.#scope.isOneSite(target, origin))
      throw new RefusedUrl('scope', target);
  }
}

/**
 * Server errors and 429 disallow everything, any other failed status allows everything (RFC 9309).
 */
const read = ({ status, text }: RobotsFile): Robots => {
  if (status >= 500 || status === 429) return DISALLOW_ALL;
  return status >= 200 && status < 300 ? parseRobots(text, PRODUCT) : ALLOW_ALL;
};
