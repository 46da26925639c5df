// The same cases over every transport and both protocols: what a client sees never depends on how
// it came in.
import { afterAll, describe, expect, it } from 'vitest';
import { waysInto, waysTo, type TestClient, type ToolResult } from './clients.ts';
import { createFixtureEngine } from './fixture-engine.ts';
import { fixtureServer } from './servers.ts';

const failureOf = (result: ToolResult): Record<string, unknown> => {
  expect(result.isError).toBe(true);
  expect(result.content).toHaveLength(1);
  const { error } = JSON.parse(result.content[0]?.text ?? '') as { error: Record<string, unknown> };
  return error;
};

const until = async (test: () => Promise<boolean>): Promise<void> => {
  while (!(await test()));
};

const abortsOf = async (client: TestClient): Promise<string[]> => {
  const { content } = await client.call('aborts');
  return (JSON.parse(content[0]?.text ?? '') as { aborts: string[] }).aborts;
};

describe.each([...waysInto(createFixtureEngine), ...waysTo(fixtureServer)])(
  '$title',
  ({ connect, tellsProgress }) => {
    let connected: Promise<TestClient> | undefined;
    const ends: (() => Promise<void>)[] = [];
    /** One client for all cases that need no flags of their own. */
    const shared = (): Promise<TestClient> =>
      (connected ??= connect([], (end) => ends.unshift(end)));
    afterAll(async () => {
      for (const end of ends) await end();
    });

    it('returns its name and instructions', async () => {
      const about = await (await shared()).about();
      expect(about).toMatchObject({
        name: 'openchrome',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      });
      expect(about.instructions).toContain('timeout_ms');
    });

    it('lists the first tier of tools, in order, each with its arguments and annotations', async () => {
      const client = await shared();
      const tools = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        'echo',
        'sum',
        'picture',
        'misplace',
        'defect',
        'forever',
        'count',
      ]);
      expect(tools[0]).toEqual({
        name: 'echo',
        description: 'Says what it was told. Not for sums: use sum.',
        inputSchema: {
          type: 'object',
          properties: {
            text: { type: 'string', description: 'What to say' },
            times: { type: 'integer', default: 1 },
          },
          required: ['text'],
        },
        annotations: {
          title: 'Echo',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      });
      expect(tools[1]?.['annotations']).toMatchObject({
        readOnlyHint: false,
        destructiveHint: true,
        openWorldHint: true,
      });
      expect(await client.listTools()).toEqual(tools);
    });

    it('lists every tool with --all-tools and the core with --slim', async () => {
      const names = async (flag: string): Promise<unknown[]> =>
        (await (await connect([flag])).listTools()).map(({ name }) => name);
      expect(await names('--all-tools')).toEqual([
        'echo',
        'sum',
        'picture',
        'misplace',
        'defect',
        'forever',
        'count',
        'aborts',
      ]);
      expect(await names('--slim')).toEqual(['echo']);
    });

    it('answers in one text block, and no other', async () => {
      const result = await (await shared()).call('echo', { text: 'Grüße, 世界 🌍', times: 2 });
      expect(result).toEqual({ content: [{ type: 'text', text: 'Grüße, 世界 🌍Grüße, 世界 🌍' }] });
    });

    it('answers in one block of compact JSON', async () => {
      const result = await (await shared()).call('sum', { a: 1, b: 2 });
      expect(result).toEqual({ content: [{ type: 'text', text: '{"sum":3}' }] });
    });

    it('sends structured content only on request', async () => {
      const client = await connect(['--structured-content']);
      expect((await client.listTools()).map((tool) => 'outputSchema' in tool)).toEqual([
        false,
        true,
        false,
        true,
        true,
        true,
        true,
      ]);
      expect(await client.call('sum', { a: 1, b: 2 })).toEqual({
        content: [{ type: 'text', text: '{"sum":3}' }],
        structuredContent: { sum: 3 },
      });
      expect(await client.call('echo', { text: 'plain' })).toEqual({
        content: [{ type: 'text', text: 'plain' }],
      });
    });

    it('sends text first, then images, then every note on its own line', async () => {
      const { content } = await (await shared()).call('picture');
      expect(content).toEqual([
        { type: 'text', text: 'A pixel.' },
        { type: 'image', data: expect.any(String) as string, mimeType: 'image/png' },
        { type: 'text', text: 'the first note is one line' },
        { type: 'text', text: 'the second note' },
      ]);
    });

    it('reports an invalid argument', async () => {
      const client = await shared();
      expect(failureOf(await client.call('sum', { a: 1 }))).toMatchObject({
        code: 'invalid_argument',
        argument: 'b',
        retryable: false,
      });
      expect(failureOf(await client.call('echo', { text: 5 }))).toMatchObject({
        code: 'invalid_argument',
        argument: 'text',
      });
    });

    it('reports an unknown tool', async () => {
      expect(failureOf(await (await shared()).call('constructor'))).toMatchObject({
        code: 'unknown_tool',
        hint: expect.any(String) as string,
      });
    });

    it('sends what helps to recover along with a failure', async () => {
      expect(failureOf(await (await shared()).call('misplace'))).toEqual({
        code: 'tab_not_found',
        message: 'There is no such tab.',
        hint: 'Use one of the listed tabs, or omit tabId to use the current one.',
        retryable: false,
        tabs: ['A', 'B'],
      });
    });

    it('names a defect by its place in the log and keeps its text to itself', async () => {
      const error = failureOf(await (await shared()).call('defect'));
      expect(error).toMatchObject({
        code: 'internal',
        log_id: expect.stringMatching(/^log_/) as string,
      });
      expect(JSON.stringify(error)).not.toContain('secret');
    });

    it('answers other calls while one is running, and aborts that one when it is cancelled', async () => {
      const client = await shared();
      const cancel = new AbortController();
      const running = client.call('forever', {}, { signal: cancel.signal });
      expect(await client.call('echo', { text: 'meanwhile' })).toMatchObject({
        content: [{ text: 'meanwhile' }],
      });
      cancel.abort();
      await expect(running).rejects.toThrow();
      await until(async () => (await abortsOf(client)).length > 0);
      expect(await abortsOf(client)).toEqual(['cancelled']);
    });

    it.runIf(tellsProgress)('reports the progress of a running call', async () => {
      const client = await connect();
      const told = await new Promise((resolve, reject) => {
        client.call('forever', {}, { onProgress: resolve }).catch(reject);
      });
      expect(told).toMatchObject({ progress: 1, total: 2, message: 'on my way' });
    });

    it('lists and reads stored payloads', async () => {
      const client = await shared();
      expect(await client.listResources()).toEqual([
        {
          uri: 'openchrome://output/oh_1',
          name: 'oh_1',
          mimeType: 'application/json',
          description: 'A stored result',
        },
      ]);
      expect(await client.readResource('openchrome://output/oh_1')).toEqual([
        { uri: 'openchrome://output/oh_1', text: '{"stored":true}', mimeType: 'application/json' },
      ]);
      await expect(client.readResource('openchrome://output/none')).rejects.toThrow(
        'names no resource of this server',
      );
    });

    it('carries a megabyte', async () => {
      const { content } = await (
        await shared()
      ).call('echo', { text: 'x'.repeat(1024), times: 1024 });
      expect(content[0]?.text).toHaveLength(1024 * 1024);
    });
  },
);
