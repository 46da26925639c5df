// The command line: what each command prints and where, and its exit status.
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../core/config.ts';
import { fail } from '../../core/failure.ts';
import type { Finding } from '../../work/doctor/index.ts';
import { runCli } from './index.ts';
import type { Terminal } from './terminal.ts';
import type { Wiring } from './wiring.ts';

interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly served: readonly (readonly string[])[];
}

const FINDINGS: readonly Finding[] = [
  { id: 'node', status: 'ok', message: 'Node 22.12.0' },
  { id: 'fonts', status: 'warn', message: 'No fonts were found.', fix: 'Install a font package.' },
];

const run = async (argv: string, over: Partial<Wiring> = {}, interactive = false): Promise<Run> => {
  const [out, err]: [string[], string[]] = [[], []];
  const served: (readonly string[])[] = [];
  const wiring: Wiring = {
    loadConfig: async (flags) => resolveConfig({ flags }),
    serve: async (flags) => void served.push(flags),
    runDoctor: async () => FINDINGS,
    installBrowser: async (progress) => {
      progress('50 %');
      return { path: '/browsers/chrome', product: 'chrome', source: 'installed' };
    },
    ...over,
  };
  const terminal: Terminal = {
    interactive,
    columns: 100,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    paint: (_, text) => text,
  };
  const status = await runCli(argv === '' ? [] : argv.split(' '), wiring, terminal);
  return { status, out: out.join('\n'), err: err.join('\n'), served };
};

const errorIn = ({ out }: Run): { code: string; message: string; commands?: string[] } => (JSON.parse(out) as { error: never }).error;

describe('help', () => {
  it('names the commands', async () => {
    const { status, out } = await run('--help');
    expect(status).toBe(0);
    expect(out).toMatch(/^Usage: openchrome \[command\] \[options\]/);
    for (const command of ['serve', 'doctor', 'install-browser', 'version', 'help']) expect(out).toContain(`\n  ${command} `);
  });

  it('of a command shows every flag of the configuration', async () => {
    const { status, out } = await run('serve --help');
    expect(status).toBe(0);
    expect(out).toContain('--http <PORT>');
    expect(out).toContain('--chrome-arg <FLAG>');
    expect(out).toContain('(repeatable)');
  });
});

describe('version', () => {
  it.each(['version', '--version', '-v'])('is printed by %s', async (argv) => {
    expect(await run(argv)).toMatchObject({ status: 0, out: '0.0.0-dev', err: '' });
  });
});

describe('serve', () => {
  it('hands its flags on as they were written', async () => {
    const flags = ['--http', '0', '--chrome-arg=--mute-audio', '--chrome-arg', '--lang=de', '--no-sandbox'];
    expect((await run(`serve ${flags.join(' ')}`)).served).toEqual([flags]);
  });
});

describe('doctor', () => {
  it('prints a line for every check, with the fix where one is needed', async () => {
    const { status, out } = await run('doctor');
    expect(status).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "ok    node   Node 22.12.0
      warn  fonts  No fonts were found.
                   fix: Install a font package.

      1 ok, 1 to look at, 0 failed"
    `);
  });

  it('prints JSON when asked, and fails when a check fails', async () => {
    const findings: Finding[] = [{ id: 'chrome', status: 'fail', message: 'No Chrome.', fix: 'openchrome install-browser' }];
    const { status, out } = await run('doctor --json', { runDoctor: async () => findings });
    expect(status).toBe(1);
    expect(JSON.parse(out)).toEqual(findings);
  });

  it('looks with the flags it was given', async () => {
    let chromePath: string | undefined;
    await run('doctor --json --chrome-path /opt/chrome', { runDoctor: async (config) => ((chromePath = config.chromePath), []) });
    expect(chromePath).toBe('/opt/chrome');
  });
});

describe('install-browser', () => {
  it('prints progress on stderr and the result on stdout', async () => {
    expect(await run('install-browser')).toMatchObject({
      status: 0,
      err: '50 %',
      out: '{"path":"/browsers/chrome","product":"chrome","source":"installed"}',
    });
    expect(await run('install-browser', {}, true)).toMatchObject({ out: '/browsers/chrome' });
  });
});

describe('what goes wrong', () => {
  it('is the structured failure on stdout, with the status of the failure table', async () => {
    const failing = { installBrowser: () => Promise.reject(fail('chrome_not_found', 'No internet.')) };
    const result = await run('install-browser', failing);
    expect(result).toMatchObject({ status: 3, err: '' });
    expect(errorIn(result)).toMatchObject({ code: 'chrome_not_found', message: 'No internet.', retryable: false });
  });

  it('is a sentence on stderr for people', async () => {
    const failing = { installBrowser: () => Promise.reject(fail('chrome_not_found', 'No internet.', { hint: 'Connect.' })) };
    expect(await run('install-browser', failing, true)).toMatchObject({ status: 3, out: '', err: 'error: No internet.\n  Connect.' });
  });

  it('may be an unknown command: the closest is named', async () => {
    const result = await run('docter');
    expect(result.status).toBe(2);
    expect(errorIn(result)).toMatchObject({ code: 'invalid_argument', message: 'There is no command "docter"; did you mean doctor?' });
    expect(errorIn(result).commands).toContain('serve');
  });

  it('may be an unknown flag: the closest is named', async () => {
    const result = await run('doctor --chrome-pth x');
    expect(result.status).toBe(2);
    expect(errorIn(result).message).toContain('did you mean --chrome-path?');
  });

  it('may be an argument that a command does not take', async () => {
    expect(await run('install-browser firefox')).toMatchObject({ status: 2 });
    expect(await run('install-browser --fast')).toMatchObject({ status: 2 });
  });

  it('may be a defect: it has an id and no stack trace', async () => {
    const result = await run('doctor', { runDoctor: () => Promise.reject(new Error('secret detail')) });
    expect(result.status).toBe(1);
    expect(errorIn(result)).toMatchObject({ code: 'internal', log_id: expect.stringMatching(/^log_/) });
    expect(result.out).not.toContain('secret detail');
  });
});
