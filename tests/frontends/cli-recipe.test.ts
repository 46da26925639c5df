// `openchrome recipe run|edit|export`: values, tables, failures and editors.
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createShellUser, serveSite, type ShellUser } from './shell.ts';

let user: ShellUser;
let origin = '';
let requested: string[] = [];
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>) => void ends.unshift(end);
  origin = await serveSite(({ url = '' }, response) => {
    if (url !== '/favicon.ico') requested.push(decodeURIComponent(url));
    response.setHeader('content-type', 'text/html');
    response.end(`<title>Page</title><p>Hello</p>`);
  }, onEnd);
  user = await createShellUser(onEnd);
  await mkdir(join(user.folder, '.openchrome', 'recipes'), { recursive: true });
  await saveRecipe(
    'visit',
    '{ code: {}, size: { type: number, default: 1 } }',
    '{{code}}/{{size}}',
  );
});

beforeEach(() => {
  requested = [];
});

afterAll(async () => {
  for (const end of ends) await end();
});

const recipePath = (name: string): string =>
  join(user.folder, '.openchrome', 'recipes', `${name}.yaml`);

const saveRecipe = (name: string, params: string, path: string): Promise<void> =>
  writeFile(
    recipePath(name),
    `name: ${name}\nsite: example.com\nparams: ${params}\nsteps:\n  - open: ${origin}/${path}\n`,
  );

const write = (name: string, text: string | Uint8Array): Promise<void> =>
  writeFile(join(user.folder, name), text);

describe('values', () => {
  it.each(['007', '1e3', 'true', 'null', '"x"', '{', '-0', 'a=b'])(
    'the value %s of a text parameter stays unchanged',
    async (code) => {
      const { status, stderr } = await user.run(
        'recipe',
        'run',
        'visit',
        '--param',
        `code=${code}`,
      );
      expect({ status, stderr, requested }).toEqual({
        status: 0,
        stderr: '',
        requested: [`/${code}/1`],
      });
    },
  );

  it('the value of a number parameter is a number', async () => {
    const given = ['recipe', 'run', 'visit', '--param', 'code=a', '--param'];
    await user.text(...given, 'size=1e3');
    expect(requested).toEqual(['/a/1000']);
    expect(await user.failure(...given, 'size=many')).toMatchObject({
      code: 'invalid_argument',
      message: 'The parameter "size" must be a number.',
      status: 2,
    });
  });

  it('arguments of a script are texts, or JSON after :=', async () => {
    await write('args.js', 'return args');
    const given = ['--arg', 'code=007', '--arg', 'n:=7', '--arg', '{"more": [1]}', '--arg=t=true'];
    expect(await user.json('run', 'args.js', ...given)).toEqual({
      code: '007',
      n: 7,
      more: [1],
      t: 'true',
    });
    expect(await user.failure('run', 'args.js', '--arg', 'n:=x')).toMatchObject({
      message: '--arg must be JSON, not "x".',
      status: 2,
    });
  });

  it('texts of an object argument of a tool stay texts', async () => {
    const script = ['call', 'script', '--code', 'return args', '--tool-args'];
    expect(await user.json(...script, 'code=007')).toEqual({ code: '007' });
  });
});

describe('tables', () => {
  const repeat = (...more: string[]) =>
    user.run('recipe', 'run', 'visit', '--repeat', 'rows.csv', ...more);

  it('runs once per row, and names the line of each result', async () => {
    await write('rows.csv', '\ufeffcode,size\n007,1\n"a,b",2\n');
    expect(await repeat()).toEqual({
      status: 0,
      stdout: 'Line 2: 1 step\nLine 3: 1 step\n',
      stderr: '2 of 2 rows succeeded.\n',
    });
    expect(requested).toEqual(['/007/1', '/a,b/2']);
    const { stdout } = await repeat('--json');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { line: 2, ok: true, result: { recipe: 'visit', steps: 1, healed: [] } },
      { line: 3, ok: true, result: { recipe: 'visit', steps: 1, healed: [] } },
    ]);
  });

  it('checks all rows before the first one acts', async () => {
    await write('rows.csv', 'code,size\na,1\nb,many\n');
    const { status, stdout, stderr } = await repeat();
    expect({ status, stdout, requested }).toEqual({ status: 2, stdout: '', requested: [] });
    expect(stderr).toContain('rows.csv: Line 3: The parameter "size" must be a number.');
  });

  it('names the line of a row that fails, and the rows that were not run', async () => {
    await saveRecipe('check', '{ text: {} }', 'x\n    expect: { text: "{{text}}" }');
    await write('rows.csv', 'text\nHello\nBye\nHello\n');
    const check = ['recipe', 'run', 'check', '--repeat', 'rows.csv'];
    const stopped = await user.run(...check);
    expect(stopped).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^Line 2: 1 step\n$/),
    });
    expect(stopped.stderr).toMatch(/^Line 3:\nerror: The recipe "check" stopped at step 1 of 1/);
    expect(stopped.stderr).toMatch(/1 of 3 rows succeeded; 1 was not run\.\n$/);
    const all = await user.run(...check, '--keep-going', '--json');
    expect(all.status).toBe(1);
    expect(
      all.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { line: 2, ok: true },
      { line: 3, ok: false, error: { code: 'recipe_stopped' } },
      { line: 4, ok: true },
    ]);
  });

  it.each([
    ['an empty file', '', 'rows.csv: The file has no line with the names of the columns.'],
    ['a file that is not UTF-8', Buffer.from('code\nM\xfcller\n', 'latin1'), 'not text in UTF-8'],
    ['an unknown column', 'code,__proto__\na,b\n', 'has no parameter "__proto__"'],
    ['values separated by semicolons', 'code;size\na;1\n', 'has no parameter "code;size"'],
  ])('rejects %s', async (_, content, message) => {
    await write('rows.csv', content);
    const { status, stdout, stderr } = await repeat();
    expect({ status, stdout, requested }).toEqual({ status: 2, stdout: '', requested: [] });
    expect(stderr).toContain(message);
  });
});

describe('failures', () => {
  it.each([
    [['recipe', 'run', 'missing'], 1, 'Unknown recipe "missing".'],
    [['recipe', 'export', 'missing'], 1, 'Unknown recipe "missing".'],
    [['recipe', 'export', 'visit', '--to', 'x'], 2, '--to must be one of playwright, puppeteer'],
    [['recipe', 'run', 'visit'], 2, 'The recipe "visit" needs the parameter "code".'],
    [['recipe', 'run', 'visit', '--params', 'code=a'], 2, 'did you mean --param?'],
    [['recipe', 'run'], 2, 'openchrome recipe run needs <name>'],
    [['recipe', 'list', 'all'], 2, 'does not know "all"'],
  ])('of %j are text on stderr', async (words, status, message) => {
    const failed = await user.run(...words);
    expect(failed).toMatchObject({ status, stdout: '' });
    expect(failed.stderr).toContain(message);
    expect(failed.stderr).not.toContain('call oc_recipe');
  });

  it('of a script are text on stderr, and JSON on stdout only with --json', async () => {
    await write('bad.js', '\nthrow new Error("no price")');
    const failed = await user.run('run', 'bad.js');
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toContain('no price');
    expect(await user.failure('run', 'bad.js')).toMatchObject({ code: 'script_failed', status: 1 });
  });

  it('a flag before the name is not taken as the name', async () => {
    const { status } = await user.run(
      'recipe',
      'run',
      '--session',
      'other',
      'visit',
      '--param=code=a',
    );
    expect({ status, requested }).toEqual({ status: 0, requested: ['/a/1'] });
  });
});

describe('the editor', () => {
  const edit = async (name: string, editor?: string) => {
    const env = { VISUAL: '', EDITOR: editor ?? '' };
    const started = user.terminal(`openchrome recipe edit ${name}`, { env });
    return { status: await started.ended, shown: started.shown() };
  };
  const listHome = async (): Promise<string[]> =>
    readdir(join(user.home, 'recipes', 'example.com')).catch(() => []);

  it('can be a command with options', async () => {
    await write('add.sh', '#!/bin/sh\necho "description: $1 $2" >> "$3"\n');
    await chmod(join(user.folder, 'add.sh'), 0o755);
    await saveRecipe('described', '{}', 'x');
    expect(await edit('described', './add.sh --wait "two words"')).toMatchObject({ status: 0 });
    expect(await readFile(recipePath('described'), 'utf8')).toContain('--wait two words\n');
  });

  it('that does not start is a failure, and leaves no new recipe', async () => {
    const { status, shown } = await edit('fresh', 'no-such-editor');
    expect(status).toBe(2);
    expect(shown).toContain('The editor "no-such-editor" ended with status 127.');
    expect(await listHome()).toEqual([]);
  });

  it('opens an invalid recipe, and the failure names what is still wrong', async () => {
    await writeFile(recipePath('broken'), 'name: broken\nsteps: [');
    const { status, shown } = await edit('broken', 'true');
    expect(status).toBe(1);
    expect(shown).toContain('(recipe_invalid)');
    await write('fix.sh', `sed 's/name: visit/name: broken/' ${recipePath('visit')} > "$1"\n`);
    expect(await edit('broken', 'sh ./fix.sh')).toMatchObject({ status: 0 });
  });

  it('is not started without a terminal, and no recipe is created', async () => {
    expect(await user.text('recipe', 'edit', 'visit')).toBe(recipePath('visit'));
    const { status, stdout, stderr } = await user.run('recipe', 'edit', 'fresh');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('Run this command in a terminal to create the recipe.');
    expect(await listHome()).toEqual([]);
  });
});
