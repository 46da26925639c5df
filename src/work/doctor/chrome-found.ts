// Is there a Chrome to run?
import { canEmbed } from '../../browser/launch/embedded.ts';
import { findChrome } from '../../browser/launch/find-chrome.ts';
import { Failure } from '../../core/failure.ts';
import type { Check } from './check.ts';

const SOURCES = { flag: 'as configured', system: 'of this machine', installed: 'installed by us', embedded: 'the embedded one' } as const;

export const chromeFoundCheck: Check = {
  id: 'chrome',
  run: async (examination) => {
    try {
      const chrome = await findChrome(examination);
      if (chrome) return { status: 'ok', message: `${chrome.product} ${SOURCES[chrome.source]}: ${chrome.path}` };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { message, hint } = error.toJSON().error;
      return { status: 'fail', message, ...(hint === undefined ? {} : { fix: hint }) };
    }
    const fix = 'openchrome install-browser';
    return canEmbed()
      ? { status: 'warn', message: 'No Chrome on this machine yet: a headless one is fetched with npm when it is first needed.', fix }
      : { status: 'fail', message: 'No Chrome, Chromium, Edge or Brave was found on this machine.', fix };
  },
};
