// Tests of which tools are found by words.
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../index.ts';
import { expandTools } from './expand-tools.ts';

interface Found {
  readonly tools: readonly { readonly name: string }[];
}

const find = async (query: string): Promise<unknown> => {
  const call = expandTools.parse({ query }, (error) => error);
  return (await call.run({ services: { tools: TOOLS } } as never)).data;
};
const namesFor = async (query: string): Promise<string[]> =>
  ((await find(query)) as Found).tools.map(({ name }) => name);

describe('expand_tools', () => {
  it.each([
    ['video', 'recording'],
    ['record a video', 'recording'],
    ['take a picture of the page', 'page_screenshot'],
    ['mobile phone', 'emulate'],
    ['dark mode', 'emulate'],
    ['print', 'page_pdf'],
    ['localStorage', 'storage'],
    ['mock a response', 'request_intercept'],
    ['scrape a table', 'extract_data'],
    ['javascript errors', 'console'],
    ['har', 'network'],
    ['cookies', 'cookies'],
    ['oc_stop', 'oc_stop'],
  ])('finds the tool for "%s": %s', async (query, name) => {
    expect((await namesFor(query)).slice(0, 3)).toContain(name);
  });

  it('never finds itself, and lists all tools if no tool matches', async () => {
    expect(await namesFor('tools schemas names list')).not.toContain('expand_tools');
    expect(await find('xylophone')).toMatchObject({
      tools: [],
      known_tools: TOOLS.map(({ name }) => name),
    });
  });
});
