// Makes a background tab draw at full rate, without taking the focus of the user's window.
import type { Tab } from './tab.ts';

const emulated = new WeakSet<Tab>();

/**
 * Chrome renders a background tab once a second, which delays screenshots and pointer input. In
 * headless Chrome, `Page.bringToFront` solves this. In a window it would take the user's focus, so
 * the tab gets emulated focus and visibility instead, once.
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
