// The built server as anybody can use it: started with --http, spoken to with plain JSON-RPC POSTs.
import { spawn } from 'node:child_process';
import { DIST, newHome, removeHome } from './ground.mjs';

/**
 * With a home of its own, or with the one that another server left; the state header is off, so
 * that replies can be compared, unless `env` says so.
 */
export const startServer = async (flags = [], home = newHome(), env = {}) => {
  const child = spawn(
    process.execPath,
    [DIST, '--http', '0', '--headless', '--isolated', ...flags],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, OPENCHROME_HOME: home, OPENCHROME_STATE_HEADER: 'off', ...env },
    },
  );
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  const address = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const [, url] = /listening on (\S+)/.exec(said) ?? [];
      if (url) resolve(url);
    });
    void exited.then(() => reject(new Error(`the server ended: ${said}`)));
  });

  const post = async (method, params) => {
    const response = await fetch(address, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const line = await response.text();
    return { line, ...JSON.parse(line) };
  };
  const rpc = async (method, params = {}) => {
    const { result, error } = await post(method, params);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  /** The first text block, and how long the line of the whole answer is. */
  const call = async (name, args = {}) => {
    const { line, result } = await post('tools/call', { name, arguments: args });
    const [{ text }] = result.content;
    if (result.isError) throw new Error(`${name}: ${text}`);
    return {
      text,
      lineBytes: Buffer.byteLength(line),
      notes: result.content.slice(1).map((block) => block.text),
    };
  };
  const failure = async (name, args = {}) => {
    const { result } = await post('tools/call', { name, arguments: args });
    if (!result.isError)
      throw new Error(`${name} succeeded: ${result.content[0].text.slice(0, 200)}`);
    return JSON.parse(result.content[0].text).error;
  };
  return {
    home,
    /** What it wrote to stderr so far. */
    said: () => said,
    rpc,
    call,
    failure,
    json: async (name, args) => JSON.parse((await call(name, args)).text),
    kill: () => {
      child.kill('SIGKILL');
      return exited;
    },
    /** Ends it in an orderly way and leaves its home. */
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    end: async () => {
      child.kill('SIGTERM');
      await exited;
      removeHome(home);
    },
  };
};
