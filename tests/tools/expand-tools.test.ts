// expand_tools: finds tools by the words that users use.
import { expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';

const engine = useEngine();
const find = async (query: string): Promise<string[]> =>
  (await engine.json<{ tools: { name: string }[] }>('expand_tools', { query })).tools.map(
    ({ name }) => name,
  );

it.each([
  ['log in', 'sessions'],
  ['log in as two users', 'sessions'],
  ['save a login', 'storage'],
  ['two-factor', 'passkeys'],
  ['2fa', 'passkeys'],
  ['security key', 'passkeys'],
  ['fingerprint', 'passkeys'],
  ['proxy', 'oc_connection_health'],
  ['certificate error', 'oc_connection_health'],
  ['permissions', 'emulate'],
  ['allow the camera', 'emulate'],
  ['dark mode', 'emulate'],
  ['drag a file', 'interact'],
  ['drop files', 'interact'],
  ['hold shift', 'computer'],
  ['mouse button down', 'computer'],
  ['clear the cache and reload', 'navigate'],
  ['http password', 'http_auth'],
])('"%s" finds %s', async (query, name) => {
  expect((await find(query)).slice(0, 3)).toContain(name);
});
