// The CDP commands that src/browser sends, as the list that the extension allows.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Commands that the extension rejects or emulates, although src/browser sends them. */
const EXCLUDED = [
  /^Browser\./,
  /^Extensions\./,
  /^Storage\./,
  /^Target\.(?!setAutoAttach$)/,
  /^Tracing\./,
  /^WebAuthn\./,
  /^Emulation\.(?:set|clear)GeolocationOverride$/,
];

interface ProtocolDomain {
  readonly domain: string;
  readonly commands?: readonly { readonly name: string }[];
}

const PROTOCOLS = ['browser_protocol', 'js_protocol'];

const loadCommands = (root: string): ReadonlySet<string> => {
  const require = createRequire(join(root, 'package.json'));
  return new Set(
    PROTOCOLS.flatMap((name) => {
      const file = require.resolve(`devtools-protocol/json/${name}.json`);
      const { domains } = JSON.parse(readFileSync(file, 'utf8')) as {
        readonly domains: readonly ProtocolDomain[];
      };
      return domains.flatMap(({ domain, commands = [] }) =>
        commands.map((command) => `${domain}.${command.name}`),
      );
    }),
  );
};

const listMethods = (root: string): readonly string[] => {
  const folder = join(root, 'src/browser');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('extension'),
  );
  const commands = loadCommands(root);
  const named = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/'([A-Z]\w+\.[a-z]\w+)'/g)].map(
      ([, method = '']) => method,
    ),
  );
  return [...new Set(named)]
    .filter((method) => commands.has(method) && !EXCLUDED.some((rule) => rule.test(method)))
    .sort();
};

export const extensionMethods = (root: string): string =>
  [
    '// The CDP commands that the extension forwards: those that src/browser sends.',
    '// Written by `npm run gen`: change the code, then run it.',
    '',
    'export const ALLOWED_METHODS: readonly string[] = [',
    ...listMethods(root).map((method) => `  '${method}',`),
    '];',
  ].join('\n');
