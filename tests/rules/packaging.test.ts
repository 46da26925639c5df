// The manifests agree with package.json, and the container has its security settings.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { CONFIG_FIELDS } from '../../src/core/config-fields.ts';
import { formatFlag } from '../../src/core/config.ts';
import {
  buildClaudePlugin,
  buildGeminiExtension,
  buildMarketplace,
  buildMcpbManifest,
} from '../../scripts/manifests.mjs';
import { ROOT } from './sources.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };

describe('server.json', () => {
  it('names this package at this version', () => {
    const server = JSON.parse(read('server.json')) as {
      version: string;
      description: string;
      packages: { identifier: string; version: string }[];
    };
    expect(server.version).toBe(version);
    expect(server.packages).toMatchObject([{ identifier: name, version }]);
    expect(server.description.length).toBeLessThanOrEqual(100); // the registry takes no more
  });
});

describe('the Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  it('runs as a user without rights, with the sandbox on', () => {
    expect(dockerfile).toMatch(/\nUSER openchrome\n/);
    expect(dockerfile).not.toContain('no-sandbox"');
    expect(JSON.parse(read('docker-seccomp.json'))).toMatchObject({
      syscalls: [{ action: 'SCMP_ACT_ERRNO' }],
    });
  });

  it('starts the server with flags that there are', () => {
    const [, words = '[]'] = /\nCMD (\[.*\])/.exec(dockerfile) ?? [];
    const flags = (JSON.parse(words) as string[]).filter((word) => word.startsWith('--'));
    const known = (Object.keys(CONFIG_FIELDS) as (keyof typeof CONFIG_FIELDS)[]).map(formatFlag);
    expect(flags.length).toBeGreaterThan(0);
    for (const flag of flags) expect(known).toContain(flag);
  });
});

describe('the packages for hosts', () => {
  const pkg = JSON.parse(read('package.json')) as Record<string, unknown>;
  const schema = createRequire(import.meta.url)(
    '@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json',
  ) as object;
  const validate = addFormats.default(new Ajv({ strict: false })).compile(schema);

  it('include a Claude Desktop bundle whose manifest matches the schema', () => {
    const manifest = buildMcpbManifest(pkg, [{ name: 'read_page', description: 'Read a page' }]);
    expect(validate(manifest), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...manifest, server: { type: 'node' } })).toBe(false);
  });

  it('set only environment variables that the server reads', () => {
    const { env } = buildMcpbManifest(pkg, []).server.mcp_config;
    const known = Object.keys(CONFIG_FIELDS).map(
      (field) => `OPENCHROME_${field.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`,
    );
    for (const name of Object.keys(env)) expect(known).toContain(name);
  });

  it('have the name and the version of this package', () => {
    for (const manifest of [buildClaudePlugin(pkg), buildGeminiExtension(pkg)])
      expect(manifest).toMatchObject({ name, version });
    expect(buildMarketplace(pkg)).toMatchObject({ plugins: [{ name }], metadata: { version } });
  });

  it('name the repository, the home page and the tracker', () => {
    expect(pkg).toMatchObject({
      repository: { type: 'git', url: expect.stringMatching(/^git\+https:/) },
      homepage: expect.stringMatching(/^https:/),
      bugs: { url: expect.stringMatching(/^https:/) },
    });
    expect((pkg['keywords'] as string[]).length).toBeGreaterThan(4);
  });
});
