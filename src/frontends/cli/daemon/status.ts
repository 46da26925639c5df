// The daemon's status: its clients, work and resource usage.
import { hidePasswords } from './hide-passwords.ts';
import { defined } from '../../../core/defined.ts';
import { type Config, type ConfigKey, type ConfigOrigins } from '../../../core/config.ts';
import { textIf } from '../../../core/text.ts';
import { VERSION } from '../../../core/version.ts';
import type { Engine, ListedTab } from '../../../pipeline/engine.ts';
import type { TaskMeta } from '../../../store/tasks/task-ledger.ts';
import type { Terminal } from '../terminal.ts';
import { renderTable } from '../text-layout.ts';
import type { DaemonActivity } from './idle.ts';

export interface DaemonStatus {
  readonly running: true;
  readonly pid: number;
  readonly port: number;
  readonly version: string;
  readonly uptime_seconds: number;
  readonly idle_seconds: number;
  readonly sessions: readonly string[];
  readonly tabs: number;
  /** Background tasks, calls, and hosts of `openchrome serve --shared`. */
  readonly tasks: number;
  readonly calls: number;
  readonly hosts: number;
  readonly memory_mb: number;
  readonly chrome: Readonly<Record<string, unknown>> & { readonly state: string };
  readonly log: string;
  readonly config: Partial<Config>;
  readonly sources: ConfigOrigins;
}

/** The status with all tabs and the last tasks. */
export interface DaemonOverview {
  readonly status: DaemonStatus;
  readonly tabs: readonly ListedTab[];
  /** Newest first. */
  readonly tasks: readonly TaskMeta[];
}

interface StatusParts {
  readonly engine: Pick<Engine, 'config' | 'health'>;
  readonly occupation: DaemonActivity;
  readonly port: number;
  readonly log: string;
  readonly sources: ConfigOrigins;
}

export const buildStatus = ({
  engine,
  occupation,
  port,
  log,
  sources,
}: StatusParts): DaemonStatus => {
  const { state, starts, lastExit, chrome, tabs, sessions } = engine.health();
  const { token: _, ...config } = hidePasswords(engine.config);
  return {
    running: true,
    pid: process.pid,
    port,
    version: VERSION,
    uptime_seconds: Math.round(process.uptime()),
    idle_seconds: Math.round(occupation.idleMs / 1000),
    sessions,
    tabs,
    ...occupation.now,
    memory_mb: Math.round(process.memoryUsage.rss() / 1024 ** 2),
    chrome: defined({ state, starts, last_exit: lastExit, ...chrome }),
    log,
    config,
    sources,
  };
};

export const renderStatus = (status: DaemonStatus, { paint }: Pick<Terminal, 'paint'>): string => {
  const { product, pid, profile } = status.chrome;
  const chrome =
    status.chrome.state === 'running'
      ? `${text(product)}, pid ${text(pid)}, profile ${text(profile)}`
      : 'not running';
  const rows: readonly (readonly [string, string])[] = [
    ['daemon', `${paint('green', 'running')}, pid ${status.pid}, port ${status.port}`],
    ['version', status.version],
    ['up', `${duration(status.uptime_seconds)}, idle for ${duration(status.idle_seconds)}`],
    ['memory', `${status.memory_mb} MB`],
    ['chrome', chrome],
    ['sessions', status.sessions.length === 0 ? 'none' : status.sessions.join(', ')],
    [
      'work',
      [
        count(status.tabs, 'tab'),
        count(status.tasks, 'task'),
        count(status.calls, 'call'),
        count(status.hosts, 'host'),
      ].join(', '),
    ],
    ['log', status.log],
  ];
  return rows.map(([name, value]) => `${name.padEnd(8)}  ${value}`).join('\n');
};

/** Every setting with its value and its source: a flag, a variable, a file or the default. */
export const renderConfiguration = (
  { config, sources }: Pick<DaemonStatus, 'config' | 'sources'>,
  /** All flags: settings without a value are not in `config`. */
  flags: readonly string[],
  columns: number,
): string => {
  const rows = flags
    .map((flag) => ({ flag, key: parseFlag(flag) }))
    .filter(({ key }) => !OWN_SETTINGS.includes(key))
    .map(({ flag, key }) => [flag, formatValue(config[key]), sources[key] ?? 'default']);
  const titles = [{ title: 'setting' }, { title: 'value', shrinks: 1 }, { title: 'source' }];
  return renderTable(titles, rows, columns);
};

/** `--allow-domains` is the key `allowDomains`. */
const parseFlag = (flag: string): ConfigKey =>
  flag.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) as ConfigKey;

/** The daemon sets these for itself. */
const OWN_SETTINGS: readonly string[] = [
  'http',
  'host',
  'token',
  'allowHost',
  'allowOrigin',
  'shared',
];

const formatValue = (value: unknown): string => {
  if (value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';

const count = (many: number, what: string): string => `${many} ${what}${textIf(many !== 1, 's')}`;

const duration = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
};
