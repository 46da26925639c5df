// Rules for the page of the dashboard: its size, no other hosts, and no HTML from texts.
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readDashboardPage } from '../../scripts/dashboard-page.mjs';
import { filesBelow } from './sources.ts';

const MAX_BYTES = 120_000;

const sources = filesBelow('src/frontends/dashboard/web', '.ts', '.tsx', '.css');

it('the page of the dashboard has at most 120 kB compressed', async () => {
  const { script, style, icon } = await readDashboardPage();
  const sizes = [script, style, icon].map((text) => gzipSync(text).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
});

it('the page of the dashboard names no other host', async () => {
  const { script, style } = await readDashboardPage();
  const named = [...`${script}${style}`.matchAll(/https?:\/\/[\w.-]+/g)].map(([url]) => url);
  // Names of XML namespaces, which are never requested.
  expect(named.filter((url) => url !== 'http://www.w3.org')).toEqual([]);
});

it('the page of the dashboard never turns a text into HTML or code', () => {
  const unsafe =
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|\beval\(|new Function/;
  expect(sources.filter(({ text }) => unsafe.test(text)).map(({ path }) => path)).toEqual([]);
});

it('every file of the page begins with a comment that names its subject', () => {
  const scripts = sources.filter(({ path }) => /\.tsx?$/.test(path));
  expect(scripts.length).toBeGreaterThan(10);
  expect(
    scripts.filter(({ text }) => !/^\/\/ \S.{14,}/.test(text)).map(({ path }) => path),
  ).toEqual([]);
});
