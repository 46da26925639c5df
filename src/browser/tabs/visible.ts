// Makes a background tab draw at full rate, without taking the focus of the user's window.
import type { Tab } from './tab.ts';

const emulated = new WeakSet<Tab>();

/**
 * Chrome draws a background tab once a second, so screenshots, pointer moves and wheels wait. In a
 * Chrome without a window the tab is brought to the front. In a window, where that would take the
 * user's focus, the tab gets emulated focus and visibility instead, once.
 */
export const makeVisible = async (tab: Tab, signal: AbortSignal): Promise<void> => {
  if (tab.ours && tab.viewport) {
    await tab.cdp.send('Page.bringToFront', undefined, signal);
    return;
  }
  if (emulated.has(tab)) return;
  await tab.cdp.send('Emulation.setFocusEmulationEnabled', { enabled: true }, signal);
  emulated.add(tab);
};
