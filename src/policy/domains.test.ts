// One policy for all that asks a network: every spelling of a host is the host, and every way to an
// address is judged by it.
import { describe, expect, test } from 'vitest';
import { canonicalHost, DomainPolicy, domainNotAllowedFailure, parseDomains } from './domains.ts';

const policy = (
  lists: { allow?: string[]; block?: string[]; allowPrivateNetwork?: boolean } = {},
): DomainPolicy =>
  new DomainPolicy({
    ...(lists.allow ? { allow: parseDomains(lists.allow, 'allowDomains') } : {}),
    block: parseDomains(lists.block ?? [], 'blockDomains'),
    allowPrivateNetwork: lists.allowPrivateNetwork ?? false,
  });
const verdict = (judge: DomainPolicy, url: string): string =>
  judge.judgeUrl(url)?.reason ?? 'allowed';

describe('the default policy', () => {
  const METADATA = [
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/', // the same as one number
    'http://0xA9FEA9FE/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[0:0:0:0:0:FFFF:A9FE:A9FE]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fd00:ec2::254]/',
    'http://[FD00:0EC2:0::0254]/',
    'http://169.254.170.2/v2/credentials',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://168.63.129.16/',
    'http://metadata.google.internal/',
    'http://METADATA.Google.Internal./computeMetadata/v1/',
    'https://user:pass@metadata.google.internal:8080/',
    'ws://169.254.169.254/',
    'http://１６９.254.169.254/', // digits of full width
    'http://169%2e254.169.254/',
  ];
  const PRIVATE = [
    'http://10.0.0.1/',
    'http://10.1/',
    'http://167772161/',
    'http://012.0.0.1/',
    'http://0x0a000001/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1:8080/',
    'http://user@192.168.1.1/',
    'http://example.com@192.168.1.1/',
    'http://192.168.1.1./',
    'http://169.254.1.1/',
    'http://100.64.0.1/',
    'http://0.1.2.3/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[fc00::1]/',
    'http://[fd12:3456:789a::1]/',
    'http://[fe80::1]/',
    'http://[FE80:0000::0001]:9000/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:c0a8:101]/',
    'http://[::10.0.0.1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[2002:c0a8:0101::1]/',
    'http://[ff02::1]/',
    'ws://10.0.0.1/socket',
    'wss://192.168.0.2/socket',
  ];
  const ALLOWED = [
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://app.localhost/',
    'http://127.0.0.1:8080/',
    'http://127.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://127.255.0.9/',
    'http://[::1]:8080/',
    'https://example.com/',
    'https://8.8.8.8/',
    'https://172.32.0.1/',
    'https://192.169.0.1/',
    'https://100.128.0.1/',
    'https://198.18.0.7/',
    'https://[2606:4700::1111]/',
    'https://[::ffff:8.8.8.8]/',
    'https://10.example.com/',
    'https://192.168.1.1.example.com/',
    'https://münchen.example/',
    'data:text/plain,10.0.0.1',
    'blob:http://10.0.0.1/1',
    'about:blank',
    'chrome-error://chromewebdata/',
  ];
  test.each(METADATA)('never lets anyone reach the metadata at %s', (url) => {
    expect(verdict(policy(), url)).toBe('metadata');
    expect(
      verdict(policy({ allowPrivateNetwork: true, allow: ['*', '169.254.169.254'] }), url),
    ).toBe('metadata');
  });
  test.each(PRIVATE)('rejects %s by default', (url) => {
    expect(verdict(policy(), url)).toBe('private_address');
    expect(verdict(policy({ allowPrivateNetwork: true }), url)).toBe('allowed');
  });
  test.each(ALLOWED)('allows %s', (url) => expect(verdict(policy(), url)).toBe('allowed'));
});

describe('a name is checked by its resolved address', () => {
  test.each([
    ['10.0.0.7', 'private_address'],
    ['192.168.0.1', 'private_address'],
    ['fe80::1%eth0', 'private_address'],
    ['fd00::1', 'private_address'],
    ['::ffff:10.0.0.7', 'private_address'],
    ['169.254.169.254', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['not an address', 'metadata'],
    ['127.0.0.1', 'this_machine'],
    ['::1', 'this_machine'],
    ['0.0.0.0', 'this_machine'],
    ['::', 'this_machine'],
    ['::ffff:127.0.0.1', 'this_machine'],
    ['93.184.216.34', 'allowed'],
    ['2606:4700::1111', 'allowed'],
  ])('%s is %s', (address, expected) =>
    expect(policy().judgeAddress(address, 'looks-public.example', 443)?.reason ?? 'allowed').toBe(
      expected,
    ),
  );

  test('a blocked address is blocked under any name', () => {
    expect(
      policy({ block: ['93.184.216.34'] }).judgeAddress('93.184.216.34', 'other.example', 443)
        ?.reason,
    ).toBe('blocked');
  });

  test("a private address in the server's list is allowed, a name that resolves to another one is not", () => {
    const told = policy({ allow: ['10.0.0.5', 'intranet.example'] });
    expect(verdict(told, 'http://10.0.0.5/')).toBe('allowed');
    expect(told.judgeAddress('10.0.0.5', 'intranet.example', 80)).toBeUndefined();
    expect(told.judgeAddress('10.0.0.6', 'intranet.example', 80)?.reason).toBe('private_address');
  });
});

describe('a pattern', () => {
  test.each([
    ['example.com', 'https://example.com/', true],
    ['example.com', 'https://www.example.com/', true],
    ['example.com', 'https://a.b.example.com:8443/', true],
    ['example.com', 'https://EXAMPLE.COM./', true],
    ['example.com', 'https://user:example.com@evil.test/', false],
    ['example.com', 'https://notexample.com/', false],
    ['example.com', 'https://example.com.evil.test/', false],
    ['Example.COM.', 'https://example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://www.example.com/', true],
    ['münchen.example', 'https://xn--mnchen-3ya.example/', true],
    ['xn--mnchen-3ya.example', 'https://MÜNCHEN.example/', true],
    ['localhost:3000', 'http://localhost:3000/', true],
    ['localhost:3000', 'http://localhost:3001/', false],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:443', 'http://example.com/', false],
    ['127.0.0.1', 'http://2130706433/', true],
    ['127.0.0.1', 'http://127.0.0.2/', false],
    ['::1', 'http://[0:0::1]:80/', true],
    ['[::1]:8080', 'http://[::1]/', false],
    ['*', 'https://anything.test/', true],
    ['a.test, b.test', 'https://b.test/', true],
  ])('%s for %s: %s', (pattern, url, allowed) =>
    expect(verdict(policy({ allow: [pattern] }), url)).toBe(allowed ? 'allowed' : 'not_allowed'),
  );

  test.each([
    'https://example.com',
    'example.com/path',
    '*.10.0.0.1',
    'exa mple.com',
    'example.com:99999',
    'a.*.com',
    '*.',
    'user@example.com',
  ])('%s is not a pattern', (text) =>
    expect(() => parseDomains([text], 'allowDomains')).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    ),
  );
});

test('a blocked host stays blocked if it is also allowed', () => {
  const both = policy({ allow: ['example.com'], block: ['ads.example.com'] });
  expect(verdict(both, 'https://www.example.com/')).toBe('allowed');
  expect(verdict(both, 'https://x.ads.example.com/')).toBe('blocked');
});

describe('a task', () => {
  const server = policy({ allow: ['example.com', 'localhost'], block: ['private.example.com'] });
  test.each([
    [['www.example.com'], 'https://www.example.com/', 'allowed'],
    [['www.example.com'], 'https://example.com/', 'not_allowed_in_task'],
    [['other.test'], 'https://other.test/', 'not_allowed'],
    [['*'], 'https://private.example.com/', 'blocked'],
    [['10.0.0.1'], 'http://10.0.0.1/', 'not_allowed'],
    [[], 'https://example.com/', 'not_allowed_in_task'],
  ])('with %j finds %s %s: it can only narrow', (domains, url, expected) =>
    expect(verdict(server.narrowed(domains), url)).toBe(expected),
  );

  test('cannot open the private network', () =>
    expect(verdict(policy().narrowed(['10.0.0.1']), 'http://10.0.0.1/')).toBe('private_address'));

  test.each([
    [['example.com'], ['www.example.com'], ['www.example.com']],
    [['*.example.com'], ['example.com'], []],
    [['example.com:443'], ['example.com'], ['example.com']],
    [['a.test'], ['b.test'], []],
    [['*'], ['a.test'], ['a.test']],
    [['a.test:80'], ['a.test:81'], []],
  ])('of a server with %j that requests %j may use %j', (allow, domains, hosts) => {
    const left = policy({ allow }).narrowed(domains).patterns.allow ?? [];
    expect(left.filter(({ self }) => self).map(({ host }) => host)).toEqual(hosts);
  });
});

test.each([
  ['EXAMPLE.com.', 'example.com'],
  ['0x7f.1', '127.0.0.1'],
  ['::1', '[::1]'],
  ['fe80::1%eth0', '[fe80::1]'],
  ['', undefined],
  ['a b', undefined],
  ['a/b', undefined],
  ['a@b', undefined],
  ['[::1', undefined],
  ['.', undefined],
])('the host %s is dialled as %s', (given, host) => expect(canonicalHost(given)).toBe(host));

test('a refusal contains the host, the reason and the flag that would allow it', () => {
  const refusal = policy().judgeAddress('10.0.0.7', 'looks-public.example', 443)!;
  expect(domainNotAllowedFailure(refusal, 'https://looks-public.example/').toJSON().error).toEqual({
    code: 'domain_not_allowed',
    message: 'looks-public.example is blocked: its address 10.0.0.7 is a private address.',
    hint:
      'Only a server started with --allow-private-network can reach private and link-local ' +
      'addresses.',
    retryable: false,
    reason: 'private_address',
    host: 'looks-public.example',
    address: '10.0.0.7',
    url: 'https://looks-public.example/',
  });
});

describe('This machine', () => {
  const SPELLINGS = [
    'http://localhost/',
    'http://LOCALHOST./',
    'http://app.localhost:3000/',
    'http://127.0.0.1/',
    'http://127.0.0.1:8080/',
    'http://127.9.9.9/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0.0.0.0/',
    'http://0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://192.0.2.7/',
    'http://[::ffff:192.0.2.7]/',
  ];
  const withInterface = (lists: { allow?: string[]; block?: string[] }): DomainPolicy =>
    new DomainPolicy({
      ...(lists.allow ? { allow: parseDomains(lists.allow, 'allowDomains') } : {}),
      block: parseDomains(lists.block ?? [], 'blockDomains'),
      ownAddresses: () => ['127.0.0.1', '192.0.2.7', 'fe80::1%eth0'],
    });

  test.each(SPELLINGS)('is blocked as %s by a rule for any of its usual spellings', (url) => {
    for (const rule of ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '::ffff:127.0.0.1'])
      expect([rule, verdict(withInterface({ block: [rule] }), url)]).toEqual([rule, 'blocked']);
  });

  test('is blocked under a public name too, and other hosts are not', () => {
    for (const rule of ['localhost', '127.0.0.1']) {
      expect(
        withInterface({ block: [rule] }).judgeAddress('127.0.0.1', 'public.example', 80)?.reason,
      ).toBe('blocked');
      expect(
        withInterface({ block: [rule] }).judgeAddress('192.0.2.7', 'public.example', 80)?.reason,
      ).toBe('blocked');
      expect(verdict(withInterface({ block: [rule] }), 'http://localhost.example.com/')).toBe(
        'allowed',
      );
    }
  });

  test('is blocked at one port only if the rule names the port', () => {
    const judge = withInterface({ block: ['localhost:3000'] });
    expect(verdict(judge, 'http://127.0.0.1:3000/')).toBe('blocked');
    expect(verdict(judge, 'http://127.0.0.1:3001/')).toBe('allowed');
  });

  test('is not reached at the port of a dashboard, in any spelling and with any list', () => {
    const ports = { dashboardPorts: () => [4_000] };
    for (const lists of [ports, { ...ports, allow: parseDomains(['*', 'localhost:4000'], 'x') }]) {
      const judge = new DomainPolicy({ ...lists, ownAddresses: () => ['192.0.2.7'] });
      for (const host of ['127.0.0.1', 'localhost', 'a.localhost', '[::1]', '0', '192.0.2.7'])
        expect(verdict(judge, `http://${host}:4000/?ticket=x`), host).toBe('dashboard');
      expect(judge.judgeAddress('127.0.0.1', 'rebound.example', 4_000)?.reason).toBe('dashboard');
      expect(verdict(judge, 'http://localhost:4001/')).toBe('allowed');
      expect(verdict(judge, 'http://example.com:4000/')).toBe('allowed');
    }
  });

  test('keeps its other loopback addresses if one unusual address is blocked', () => {
    const judge = withInterface({ block: ['127.0.0.2'] });
    expect(verdict(judge, 'http://127.0.0.2/')).toBe('blocked');
    expect(verdict(judge, 'http://localhost/')).toBe('allowed');
  });

  test.each([
    'http://0.0.0.0:5173/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[2002:7f00:1::]/',
  ])(
    'is not reached as %s, which Chrome does not protect from public pages, unless a rule names that spelling',
    (url) => {
      expect(verdict(policy(), url)).toBe('this_machine');
      expect(verdict(policy({ allow: ['*'] }), url)).toBe('this_machine');
      expect(verdict(policy({ allow: [new URL(url).hostname] }), url)).toBe('allowed');
    },
  );

  test('is not reached through a name, unless a rule contains that very name', () => {
    const reason = (judge: DomainPolicy): string =>
      judge.judgeAddress('127.0.0.1', 'dev.example', 80)?.reason ?? 'allowed';
    expect(reason(policy())).toBe('this_machine');
    expect(reason(policy({ allow: ['*'] }))).toBe('this_machine');
    expect(reason(policy({ allow: ['example', '127.0.0.1'] }))).toBe('this_machine');
    expect(reason(policy({ allowPrivateNetwork: true }))).toBe('this_machine');
    expect(reason(policy({ allow: ['dev.example', '*'] }))).toBe('allowed');
    expect(reason(policy({ allow: ['dev.example:8080', '*'] }))).toBe('this_machine');
  });

  test('includes the addresses of its interfaces, which a public name may not lead to', () => {
    expect(withInterface({}).judgeAddress('192.0.2.7', 'public.example', 80)?.reason).toBe(
      'this_machine',
    );
    expect(withInterface({}).judgeAddress('192.0.2.8', 'public.example', 80)).toBeUndefined();
  });

  test('does not make names judged if the list allows everything', () => {
    expect(policy({ allow: ['dev.example', '*'] }).judgesNames).toBe(false);
    expect(policy({ allow: ['dev.example'] }).judgesNames).toBe(true);
  });
});
