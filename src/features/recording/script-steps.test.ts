// From sights to steps, and from steps to scripts that no text can break.
import { runInNewContext, Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { KeptStart, RecordedStep, Locator } from './kept-lines.ts';
import { renderPlaywrightScript } from './playwright.ts';
import { renderPuppeteerScript } from './puppeteer.ts';
import { describeStep, buildScriptSteps } from './script-steps.ts';
import { renderLiteral, formatSecretVariable } from './script-text.ts';

const at = (tag: string, more: Partial<Locator> = {}): Locator => ({
  tag,
  css: [`#${tag}`],
  ...more,
});
const step = (ms: number, what: object): RecordedStep =>
  ({ at: ms, by: 'person', ...what }) as RecordedStep;
const lines = (...steps: RecordedStep[]): string[] => buildScriptSteps(steps).map(describeStep);

const START: KeptStart = {
  at: 0,
  url: '',
  title: '',
  tabId: '',
  folder: '',
  exports: [],
  version: '1',
};

describe('recorded events become steps', () => {
  it('keeps the last of several sights of one entry', () => {
    const fill = (ms: number, value: string): RecordedStep =>
      step(ms, { kind: 'fill', target: at('input'), value });
    expect(
      lines(
        fill(0, 'a'),
        fill(900, 'ab'),
        step(950, { kind: 'press', key: 'Enter', target: at('input') }),
        fill(990, ''),
      ),
    ).toEqual(['fill #input with "ab"', 'press Enter in #input', 'fill #input with ""']);
  });

  it('takes clicks in a row for one of several', () => {
    const click = (count?: number): RecordedStep =>
      step(0, { kind: 'click', target: at('b'), ...(count ? { count } : {}) });
    expect(lines(click(), click(2))).toEqual(['double-click #b']);
    expect(lines(click(), click())).toEqual(['click #b', 'click #b']);
  });

  it('checks a pressed checkbox, and presses a pressed label', () => {
    const check = step(20, { kind: 'check', target: at('input'), checked: true });
    expect(lines(step(0, { kind: 'click', target: at('input') }), check)).toEqual(['check #input']);
    const onLabel = [
      step(0, { kind: 'click', target: at('label') }),
      step(1, { kind: 'click', target: at('input') }),
      check,
    ];
    expect(lines(...onLabel)).toEqual(['click #label']);
    expect(lines(step(0, { kind: 'press', key: ' ', target: at('input') }), check)).toEqual([
      'check #input',
    ]);
  });

  it('arrives once', () => {
    const arrived = (url: string): RecordedStep => step(0, { kind: 'arrived', url });
    expect(
      lines(step(0, { kind: 'goto', url: '/a' }), arrived('/a'), arrived('/b'), arrived('/c')),
    ).toEqual(['open /a', 'at /c']);
  });
});

describe('scripts', () => {
  const nasty = '"\'`${1}\\\u2028\u2029\n*/ </script>';

  it('contain every text as a literal', () => {
    expect(runInNewContext(`(${renderLiteral(nasty)})`)).toBe(nasty);
    expect(renderLiteral(nasty)).not.toMatch(/[\n\u2028\u2029]/);
  });

  it.each([
    ['playwright', renderPlaywrightScript],
    ['puppeteer', renderPuppeteerScript],
  ])('of %s can be parsed for any page text', (_, script) => {
    const target: Locator = {
      tag: nasty,
      role: 'button',
      name: nasty,
      css: [nasty],
      testId: { attribute: 'data-testid', value: nasty },
    };
    const text = script(START, [
      step(0, { kind: 'goto', url: nasty }),
      step(0, {
        kind: 'click',
        target,
        frame: { url: nasty, name: nasty },
        modifiers: ['Control'],
      }),
      step(0, { kind: 'fill', target, value: nasty }),
      step(0, { kind: 'fill', target: at('input', { name: nasty }), value: '', secret: true }),
      step(0, { kind: 'select', target, values: [nasty] }),
      step(0, { kind: 'upload', target, files: [nasty] }),
      step(0, { kind: 'press', key: nasty, target }),
      step(0, { kind: 'drag', target, to: target }),
      step(0, { kind: 'dialog', type: 'prompt', message: nasty, accepted: true, text: nasty }),
      step(0, { kind: 'popup', url: nasty }),
      step(0, { kind: 'arrived', url: nasty }),
    ]);
    expect(() => new Script(`async () => { ${text} }`)).not.toThrow();
  });

  it('read secrets by names that a shell can set', () => {
    const named = (more: object): string =>
      formatSecretVariable(
        step(0, { kind: 'fill', value: '', target: at('input'), ...more }) as never,
      );
    expect(named({ secretName: 'DOOR_CODE' })).toBe('DOOR_CODE');
    expect(named({ target: at('input', { name: 'Your password:' }) })).toBe('YOUR_PASSWORD');
    expect(named({ target: at('input', { name: '密码' }) })).toBe('SECRET');
  });
});
