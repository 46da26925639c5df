// How a daemon is, in words for people.
import { expect, it } from 'vitest';
import { type DaemonStatus, renderStatus } from './status.ts';

const STATUS: DaemonStatus = {
  running: true,
  pid: 4711,
  port: 40123,
  version: '1.2.3',
  uptime_seconds: 3725,
  idle_seconds: 65,
  sessions: ['default', 'host-0a1b2c3d'],
  tabs: 3,
  tasks: 1,
  calls: 0,
  hosts: 1,
  memory_mb: 71,
  chrome: { state: 'running', product: 'Chrome/156.0', pid: 4800, profile: 'own' },
  log: '/home/ada/.openchrome/daemon.log',
  config: {},
  sources: {},
};

const render = (status: DaemonStatus): string => renderStatus(status, { paint: (_, text) => text });

it('is a line for each thing that one may want to know', () => {
  expect(render(STATUS)).toMatchInlineSnapshot(`
    "daemon    running, pid 4711, port 40123
    version   1.2.3
    up        1 h 2 min, idle for 1 min 5 s
    memory    71 MB
    chrome    Chrome/156.0, pid 4800, profile own
    sessions  default, host-0a1b2c3d
    work      3 tabs, 1 task, 0 calls, 1 host
    log       /home/ada/.openchrome/daemon.log"
  `);
});

it('reports that there is no Chrome and no session', () => {
  const text = render({
    ...STATUS,
    sessions: [],
    chrome: { state: 'not_started' },
    idle_seconds: 7,
  });
  expect(text).toContain('chrome    not running');
  expect(text).toContain('sessions  none');
  expect(text).toContain('idle for 7 s');
});
