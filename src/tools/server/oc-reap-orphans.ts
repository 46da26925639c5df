// oc_reap_orphans: ends only our own Chromes whose server is dead.
import { reapOrphans } from '../../browser/launch/ownership.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

export const ocReapOrphans = defineTool({
  name: 'oc_reap_orphans',
  description:
    'End Chrome processes that OpenChrome started and whose server has exited. ' +
    "Never touches the user's own Chrome or one that a running server uses.",
  keywords: 'kill zombie leftover processes clean',
  tier: 2,
  traits: {
    effect: 'act',
    scope: 'none',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 20_000,
  },
  input: () => ({}),
  examples: [{}],
  run: (_input, { services }) => reapOrphans({ home: services.home }),
});
