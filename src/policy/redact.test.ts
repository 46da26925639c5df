// Tests of what is a secret, and of what only looks like one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redact.ts';

const redactor = createRedactor();
const H = '[redacted]';

/** Put together here, so that no scanner of repositories takes these lines for leaked keys. */
const key = (...parts: string[]): string => parts.join('');
const JWT = key(
  'eyJhbGciOiJIUzI1NiJ9',
  '.eyJzdWIiOiIxMjM0NTY3ODkwIn0',
  '.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
);
const GITHUB = key('ghp', '_16C7e42F292c6912E7710c838347Ae178B4a');

describe('in text, hidden', () => {
  it.each([
    ['a bearer token', 'curl -H "X: Bearer abc123DEF456ghi7"', `curl -H "X: Bearer ${H}"`],
    ['a JWT', `token is ${JWT}.`, `token is ${H}.`],
    ['a GitHub token', `use ${GITHUB} here`, `use ${H} here`],
    ['an AWS key', key('AKIA', 'IOSFODNN7EXAMPLE'), H],
    ['a Stripe key', key('sk_', 'live_4eC39HqLyjWDarjtT1zdp7dc'), H],
    ['a Slack token', key('xoxb', '-123456789012-abcdefGHIJKL'), H],
    ['a Google key', key('AIza', 'SyA1234567890abcdefghijklmnopqrstuv'), H],
    ['an OpenAI key', key('sk-', 'proj-abcdefghij1234567890ABCDEFGHIJ'), H],
    ['an npm token', key('npm', '_abcdefghijklmnopqrstuvwxyz0123456789'), H],
    [
      'a private key',
      '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc=\n-----END RSA PRIVATE KEY-----',
      `-----BEGIN RSA PRIVATE KEY-----${H}-----END RSA PRIVATE KEY-----`,
    ],
    ['a header line', 'Authorization: Basic dXNlcjpwYXNz', `Authorization: ${H}`],
    ['basic credentials', 'sent Basic dXNlcjpwYXNz today', `sent Basic ${H} today`],
    ['a cookie line', 'Cookie: sid=abc; theme=dark\nHost: x', `Cookie: ${H}\nHost: x`],
    ['a set-cookie line', 'set-cookie: sid=abc; HttpOnly', `set-cookie: ${H}`],
    [
      'a password in JSON',
      '{"user":"ada","password":"hunter2"}',
      `{"user":"ada","password":"${H}"}`,
    ],
    ['a password with quotes in it', '{"password":"a\\"b\\\\","x":1}', `{"password":"${H}","x":1}`],
    [
      'a password in JSON in a string',
      '"body":"{\\"password\\":\\"hunter2\\"}"',
      `"body":"{\\"password\\":\\"${H}\\"}"`,
    ],
    ['a form', 'user=ada&password=hunter2&remember=1', `user=ada&password=${H}&remember=1`],
    ['a form field in brackets', 'user%5Bpassword%5D=hunter2&a=1', `user%5Bpassword%5D=${H}&a=1`],
    ['settings', 'API_KEY=abcdef123456\nDEBUG=1', `API_KEY=${H}\nDEBUG=1`],
    [
      'a parameter',
      'https://a.test/?access_token=abc&x=1',
      `https://a.test/?access_token=${H}&x=1`,
    ],
    ['a parameter in HTML', 'href="/cb?x=1&amp;token=abc"', `href="/cb?x=1&amp;token=${H}"`],
    [
      'a fragment',
      'https://a.test/cb#id_token=xyz&state=1',
      `https://a.test/cb#id_token=${H}&state=1`,
    ],
    [
      'a signature',
      'https://s3.test/f?X-Amz-Signature=0123456789abcdef0123456789abcdef',
      `https://s3.test/f?X-Amz-Signature=${H}`,
    ],
    [
      'an authorization code',
      'https://a.test/cb?code=4%2F0AX4XfWh1234567890abc',
      `https://a.test/cb?code=${H}`,
    ],
    [
      'a password in an address',
      'postgres://ada:hunter2@db.test/x',
      `postgres://ada:${H}@db.test/x`,
    ],
    [
      'a password field in HTML',
      '<input type="password" name="p" value="hunter2">',
      `<input type="password" name="p" value="${H}">`,
    ],
    [
      'the same, turned round',
      "<INPUT value='hunter2' TYPE=password>",
      `<INPUT value="${H}" TYPE=password>`,
    ],
    [
      'a header of a cloud in a command',
      "curl -H 'Ocp-Apim-Subscription-Key: 0a1b2c3d4e5f'",
      `curl -H 'Ocp-Apim-Subscription-Key: ${H}'`,
    ],
    [
      'headers on lines',
      'X-Functions-Key: a1b2c3d4\r\nX-Session: s1e2s3s4',
      `X-Functions-Key: ${H}\r\nX-Session: ${H}`,
    ],
    [
      'a nonce in JSON',
      '{"root":"/wp-json/","nonce":"a1b2c3d4e5"}',
      `{"root":"/wp-json/","nonce":"${H}"}`,
    ],
    ['a nonce in a script', 'var wp = {ajaxNonce: "a1b2c3d4e5"}', `var wp = {ajaxNonce: "${H}"}`],
    ['a nonce in a form', 'action=edit&_wpnonce=a1b2c3d4e5&id=7', `action=edit&_wpnonce=${H}&id=7`],
    [
      'a nonce in an address',
      '/wp-admin/post.php?post=7&amp;_wpnonce=a1b2c3d4e5',
      `/wp-admin/post.php?post=7&amp;_wpnonce=${H}`,
    ],
    [
      'a nonce in a form in HTML',
      '<input type="hidden" name="_wpnonce" value="a1b2c3d4e5">',
      `<input type="hidden" name="_wpnonce" value="${H}">`,
    ],
    [
      'a forgery token in HTML',
      "<meta content='Ab1-xyzxyz' name=csrf-token>",
      `<meta content="${H}" name=csrf-token>`,
    ],
    ['a forgery token in a form', 'user[_csrf]=Ab1-xyzxyz&a=1', `user[_csrf]=${H}&a=1`],
    [
      'a session in an address',
      'https://a.test/?session=0a1b2c3d4e5f6a7b8c',
      `https://a.test/?session=${H}`,
    ],
    [
      'a key in an escaped body',
      '"{\\"subscription-key\\":\\"0a1b2c\\"}"',
      `"{\\"subscription-key\\":\\"${H}\\"}"`,
    ],
    [
      'a password in the value of another member',
      `{"key":"{'password':'hunter2'}"}`,
      `{"key":"{'password':'${H}'}"}`,
    ],
  ])('%s', (_, text, expected) => {
    expect(redactor.text(text)).toBe(expected);
    expect(redactor.text(expected)).toBe(expected); // once is enough
  });
});

it('a key, a session and a nonce are hidden in headers, bodies, forms, HTML and addresses', () => {
  for (const name of [
    'Ocp-Apim-Subscription-Key',
    'X-Functions-Key',
    'X-Session',
    'X-WP-Nonce',
    '_wpnonce',
    'nonce',
    '_csrf',
    'xsrf',
  ]) {
    const value = 'a1b2c3d4e5';
    expect(redactor.data({ headers: { [name]: value } }), name).toEqual({ headers: { [name]: H } });
    const pair = { name, value };
    expect(redactor.data([pair]), name).toEqual([{ name, value: H }]);
    for (const text of [
      `{"a":1,"${name}":"${value}"}`,
      `{"body":"{\\"${name}\\":\\"${value}\\"}"}`,
      `a=1&${name}=${value}&b=2`,
      `https://a.test/p?${name}=${value}`,
      `<input type="hidden" name="${name}" value="${value}">`,
      `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ])
      expect(redactor.text(text), text).toBe(text.replace(value, H));
  }
});

describe('in text, left as it is', () => {
  it.each([
    'The bearer certificates of the company',
    'Bearer of good news, responsibilities included',
    'Basic authentication is required',
    'Basic knowledge of German',
    'Password: must be at least 8 characters',
    'Forgot your password? Reset password',
    'Cookie: a small file that a site stores',
    'We use cookies to improve the site',
    'Authorization: required for all requests',
    'A token is a unit of text; 512 tokens',
    'The secret of good bread',
    'sk-learn and npm_config are names',
    'https://a.test/?page_token=abc&next_token=def&code=US&key=price',
    'https://a.test/search?q=password+reset',
    'https://user@host.test/path',
    'mail ada@example.test at 10:30',
    '"max_tokens": "512", "tokenizer": "o200k"',
    '"forgot_password": "Forgot?", "password_strength": "weak"',
    '<input type="text" name="q" value="shoes">',
    'class="api-key-panel" data-token-count="3"',
    'e1b0f2d4-9c3a-4f5e-8b7d-1a2b3c4d5e6f',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'AKIA is the prefix of keys',
    '{"keyboard":"qwertz-105-keys-de","author":"ada-lovelace-1815","authored":"2024-01-05T10:00:00Z"}',
    '{"session":"checkout-2026-11-16","sessions":"3","nonce":"0x15","announce":"2024-release-notes"}',
    '{"cache_key":"posts/2024/01/05/index","primary_key":"order-2024-00000017","public-key":"MIIBIjANBgkqhkiG9w0B"}',
    '{"signature":"f(x: number): string","method_signature":"f(a, b2)","csrf":"enabled","requires_auth":"yes"}',
    '<input name="author" value="ada-lovelace-1815"><meta name="keywords" content="key1,session2,nonce3">',
    'Press the Tab-key: it moves the focus. Two-factor-auth: required',
    'sort_key=price-ascending-2024&monkey=george-2024-abcdef&author=ada1815',
  ])('%s', (text) => {
    expect(redactor.text(text)).toBe(text);
  });
});

describe('in data', () => {
  it.each([
    [
      'by name',
      { user: 'ada', password: 'hunter2', passwordConfirmation: 'hunter2' },
      { user: 'ada', password: H, passwordConfirmation: H },
    ],
    [
      'headers',
      { headers: { Authorization: 'Digest x', 'Set-Cookie': ['a=1', 'b=2'], Accept: '*/*' } },
      { headers: { Authorization: H, 'Set-Cookie': [H, H], Accept: '*/*' } },
    ],
    [
      'pairs',
      [
        { name: 'x-api-key', value: 'abc' },
        { name: 'accept', value: 'abc' },
      ],
      [
        { name: 'x-api-key', value: H },
        { name: 'accept', value: 'abc' },
      ],
    ],
    [
      'fields of a form',
      {
        fields: [
          { label: 'Password', value: 'hunter2' },
          { label: 'Name', value: 'Ada' },
        ],
      },
      {
        fields: [
          { label: 'Password', value: H },
          { label: 'Name', value: 'Ada' },
        ],
      },
    ],
    [
      'fields by selector',
      { selector: '#login input[type=password]', value: 'hunter2' },
      { selector: '#login input[type=password]', value: H },
    ],
    [
      'inputs',
      { type: 'password', value: 'hunter2', name: 'p' },
      { type: 'password', value: H, name: 'p' },
    ],
    [
      'cards',
      { autocomplete: 'cc-number', value: '4111111111111111' },
      { autocomplete: 'cc-number', value: H },
    ],
    [
      'cookies',
      [{ name: 'theme', value: 'abc', domain: 'a.test', path: '/', httpOnly: false }],
      [{ name: 'theme', value: H, domain: 'a.test', path: '/', httpOnly: false }],
    ],
    [
      'storage',
      { localStorage: { refreshToken: 'abc', theme: 'dark' } },
      { localStorage: { refreshToken: H, theme: 'dark' } },
    ],
    ['numbers', { password: 1234, token: 7 }, { password: H, token: 7 }],
    ['texts deep inside', { a: [{ b: `x ${JWT}` }] }, { a: [{ b: `x ${H}` }] }],
    [
      'bodies',
      { body: '{"access_token":"abc","expires_in":3600}' },
      { body: `{"access_token":"${H}","expires_in":3600}` },
    ],
    [
      'forms in parts',
      {
        body: '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--x\r\nContent-Disposition: form-data; name="who"\r\n\r\nada\r\n',
      },
      {
        body: `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n${H}\r\n--x\r\nContent-Disposition: form-data; name="who"\r\n\r\nada\r\n`,
      },
    ],
    [
      'bare secrets',
      { secret: 'hunter2', client_secret: 'order-17' },
      { secret: H, client_secret: H },
    ],
    [
      'headers of clouds and applications',
      {
        'Ocp-Apim-Subscription-Key': 'abc',
        'x-functions-key': 'abc',
        'X-Session': 'a1b2c3d4e5',
        'X-WP-Nonce': 'a1b2c3d4e5',
      },
      { 'Ocp-Apim-Subscription-Key': H, 'x-functions-key': H, 'X-Session': H, 'X-WP-Nonce': H },
    ],
    [
      'headers in pairs',
      [
        { name: 'X-Hub-Signature-256', value: 'sha256=0a1b2c3d4e5f6a7b8c' },
        { name: 'X-Acme-Key', value: 'a1b2c3d4e5' },
        { name: 'x-acme-auth', value: 'a1b2c3d4e5' },
        { name: 'x-idempotency-key', value: 'a1b2c3d4e5' },
      ],
      [
        { name: 'X-Hub-Signature-256', value: H },
        { name: 'X-Acme-Key', value: H },
        { name: 'x-acme-auth', value: H },
        { name: 'x-idempotency-key', value: 'a1b2c3d4e5' },
      ],
    ],
    ['sessions', { PHPSESSID: 'a1b2c3d4e5f6a7b8c9d0' }, { PHPSESSID: H }],
  ])('%s', (_, data, expected) => {
    expect(redactor.data(data)).toEqual(expected);
    expect(redactor.data(expected)).toEqual(expected);
  });

  it.each([
    [{ usage: { total_tokens: 512, max_tokens: 100 }, nextPageToken: 'abc', tokenizer: 'x' }],
    [{ password: '', token: null, has_password: true, show_password: 'no', secret: false }],
    [{ schema: { properties: { password: { type: 'string' }, token: { type: 'string' } } } }],
    [{ session: 'default', sessionId: 'main', tabId: 'ABCDEF0123456789ABCDEF0123456789' }],
    [{ name: 'Ada', value: 'x' }],
    [{ type: 'text', value: 'x', label: 'Search' }],
    [{ token: { symbol: 'ETH', price: 1 } }],
    [{ key: 'ArrowDown', code: 'US' }],
    [{ credentials: 'include', cookies: [] }],
    [{ secret: 'serial-1x2y3z' }],
    [
      {
        keyboard: 'qwertz-105-keys-de',
        author: 'ada-lovelace-1815',
        sessions: 3,
        nonce: 7,
        hotkey: 'Control+Shift+F10',
      },
    ],
    [
      {
        session: 'checkout-2026-11-16',
        user_session: 'main',
        x_auth: true,
        sort_key: 'price-ascending-2024',
      },
    ],
    [
      {
        shape: {
          '$.user.password': 'string',
          '$["api key"]': 'string?',
          '$.items[0].secret': 'string(len=90)',
        },
      },
    ],
  ])('left as it is: %j', (data) => {
    expect(redactor.data(data)).toBe(data);
  });
});

it('the reference to a secret is left in data, unless it contains a known secret', () => {
  const call = { query: 'Password', value: '${SECRET:DOOR}', password: '${TOTP:PHONE}' };
  expect(redactor.data(call)).toEqual(call);
  const known = createRedactor(['correct-horse-7']);
  expect(known.data({ password: '${SECRET:correct-horse-7}' })).toEqual({
    password: `\${SECRET:${H}}`,
  });
  expect(redactor.data({ password: '${SECRET:DOOR}-hunter2' })).toEqual({ password: H });
});

describe('secrets of the secrets file', () => {
  const told = createRedactor(['s3cr3t value&more', 'abc', 'p"w']);

  it.each([
    ['x s3cr3t value&more y', `x ${H} y`],
    ['?q=s3cr3t%20value%26more', `?q=${H}`],
    ['q=s3cr3t+value%26more', `q=${H}`],
    ['<b>s3cr3t value&amp;more</b>', `<b>${H}</b>`],
    [`b64 ${Buffer.from('s3cr3t value&more').toString('base64')}`, `b64 ${H}`],
    [JSON.stringify({ a: 's3cr3t value&more' }), `{"a":"${H}"}`],
    ['the abc stays in words', 'the abc stays in words'],
  ])('%s', (text, expected) => {
    expect(told.text(text)).toBe(expected);
  });

  it('are hidden as names and as whole values of any length', () => {
    expect(told.data({ x: 'abc', 's3cr3t value&more': 1 })).toEqual({ x: H, [H]: 1 });
  });
});

describe('secrets that became known while working', () => {
  it('are hidden in values, and everywhere if they are not plain words', () => {
    const learning = createRedactor();
    learning.learn('hunter2-and-more');
    learning.learn('admin');
    expect(learning.data({ ref: 'e5', value: 'admin', title: 'admin' })).toEqual({
      ref: 'e5',
      value: H,
      title: 'admin',
    });
    expect(learning.text('the admin typed hunter2-and-more')).toBe(`the admin typed ${H}`);
  });
});

describe('secrets that a page reported', () => {
  const EVIL = 'https://evil.test';
  const BANK = 'https://bank.test';

  it('are hidden in data of their origin, and elsewhere only if they are long and unusual', () => {
    const learning = createRedactor();
    learning.learnFromPage(EVIL, 'Transfer approved');
    learning.learnFromPage(BANK, 'short-pw1');
    learning.learnFromPage(BANK, 'tr0ub4dor&3-xyz');
    const shown = 'Transfer approved, short-pw1, tr0ub4dor&3-xyz';
    expect(learning.forOrigins([BANK]).text(shown)).toBe(`Transfer approved, ${H}, ${H}`);
    expect(learning.forOrigins([EVIL]).text(shown)).toBe(`${H}, short-pw1, ${H}`);
    expect(learning.text(shown)).toBe(`Transfer approved, short-pw1, ${H}`);
  });

  it('of another origin do not displace a real password, in any number', () => {
    const learning = createRedactor();
    learning.learnFromPage(BANK, 'short-pw1');
    for (let i = 0; i < 1000; i++) learning.learnFromPage(EVIL, `junk value ${i}`);
    learning.learnFromPage(BANK, 'later-pw2');
    learning.learn('typed-by-a-tool-3');
    expect(learning.forOrigins([BANK]).text('short-pw1 later-pw2 typed-by-a-tool-3')).toBe(
      `${H} ${H} ${H}`,
    );
    expect(learning.forOrigins([EVIL]).text('junk value 949; junk value 999')).toBe(
      `junk value 949; ${H}`,
    );
  });
});

it('one-time codes are hidden inside text until many newer codes exist', () => {
  const redactor = createRedactor(['secret-in-the-file']);
  redactor.addCode('066721');
  expect(redactor.text('code 066721')).toBe('code [redacted]');
  for (let i = 0; i < 30; i++) redactor.addCode(String(700_000 + i));
  expect(redactor.text('066721 700029 secret-in-the-file')).toBe('066721 [redacted] [redacted]');
});

it('nothing in ordinary data is touched', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (data) => {
      const text = JSON.stringify(data);
      if (!/pass|token|secret|key|cookie|auth|value/i.test(text))
        expect(redactor.data(data)).toBe(data);
    }),
    { numRuns: 300 },
  );
});

it('pictures are not touched', () => {
  const picture = `${'A'.repeat(3000)}/${key('AKIA', 'IOSFODNN7EXAMPLE')}/AAAA`;
  expect(redactor.data({ data: picture }).data).toBe(picture);
});

it.each([
  ['many openings', '"token":"'.repeat(120_000)],
  ['one long word', `${'a'.repeat(1_000_000)} token`],
  ['many starts of keys', `${'eyJ'.repeat(350_000)} bearer `],
  ['many inputs', `${'<input '.repeat(150_000)}password`],
  ['many parameters', '?key='.repeat(200_000)],
  ['mixed quotes', `'token':"x`.repeat(100_000)],
  ['many headers', 'a-b-c-d-key:'.repeat(90_000)],
  ['many dashes', `${'a-'.repeat(500_000)}key: nonce`],
  ['many members in both quotes', `"key":"'key':'`.repeat(70_000)],
  ['many tags', `${'<meta name=nonce '.repeat(60_000)}>`],
  ['many keys', 'key'.repeat(300_000) + '="nonce"'],
  ['many private keys', '-----BEGIN PRIVATE KEY-----'.repeat(40_000)],
])('no text makes it slow: %s', (_, text) => {
  const started = process.cpuUsage();
  redactor.text(text);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(1500); // tens of ms on an idle machine
});
