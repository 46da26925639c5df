// Tests of which tools are found by words.
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../index.ts';
import { expandTools } from './expand-tools.ts';

const find = (query: string, limit = 5): { tools: { name: string }[]; known_tools?: string[] } =>
  expandTools.run({ query, limit } as never, { rooms: { tools: TOOLS } } as never) as never;
const namesFor = (query: string): string[] => find(query).tools.map(({ name }) => name);

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
  ])('finds the tool for "%s": %s', (query, name) => {
    expect(namesFor(query).slice(0, 3)).toContain(name);
  });

  it('never finds itself, and lists all tools if no tool matches', () => {
    expect(namesFor('tools schemas names list')).not.toContain('expand_tools');
    expect(find('xylophone')).toMatchObject({
      tools: [],
      known_tools: TOOLS.map(({ name }) => name),
    });
  });
});
