// The servers that are compared. An adapter describes how to start a server and use its tools.
import { agentBrowser, agentBrowserCli } from './agent-browser.mjs';
import { chromeDevtools } from './chrome-devtools-mcp.mjs';
import { openchromeScript } from './openchrome-script.mjs';
import { openchrome } from './openchrome.mjs';
import { playwright, playwrightTuned } from './playwright-mcp.mjs';
import { rawCdp } from './raw-cdp.mjs';

const ALL = [
  rawCdp,
  openchrome,
  openchromeScript,
  playwright,
  playwrightTuned,
  chromeDevtools,
  agentBrowser,
  agentBrowserCli,
];

/**
 * Those asked for, all by default; raw CDP is always the first, for the ratios and as the truth
 * about a page.
 */
export const peersNamed = (names) => {
  const known = ALL.map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown) throw new Error(`no server ${unknown}; there are: ${known.join(', ')}`);
  return ALL.filter(({ name }) => !names || name === rawCdp.name || names.includes(name));
};
