// oc_connection_health: reports the state of Chrome and the engine without a request to a page.
import type { BrowserHealth } from '../../browser/browser.ts';
import type { Services } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/** Adds the controls of content (redaction, sanitising) to those of Chrome. */
const withContentControls = (
  { controls, ...health }: BrowserHealth,
  { config, secrets }: Services,
): object => ({
  ...health,
  controls: {
    ...controls,
    sanitising: config.sanitizeContent ? 'on' : 'off',
    secretsRedacted: secrets.length,
  },
});

const MIB = 1024 * 1024;

export const ocConnectionHealth = defineTool({
  name: 'oc_connection_health',
  description:
    'State of the engine: whether Chrome runs, which one, its profile, tabs, starts and last ' +
    'exit, memory of the server. Never starts Chrome and never waits for a page.',
  returns: '{state, starts, tabs, sessions, server: {pid, uptimeSeconds, residentMiB}, …}',
  keywords: 'status chrome version memory proxy certificate tls guard attach remote',
  tier: 2,
  traits: {
    effect: 'read',
    scope: 'none',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 5_000,
  },
  input: () => ({}),
  examples: [{}],
  run: (_input, { services }) => ({
    ...withContentControls(services.browser.health(), services),
    server: {
      pid: process.pid,
      node: process.version,
      uptimeSeconds: Math.round(process.uptime()),
      residentMiB: Math.round(process.memoryUsage.rss() / MIB),
    },
  }),
});
