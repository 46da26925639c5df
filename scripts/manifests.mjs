// Manifests of the packages that hosts install: Claude Desktop (MCPB), Claude Code and Gemini.

const DISPLAY_NAME = 'OpenChrome';

/** @param {{version: string, homepage: string, repository: {url: string}}} pkg package.json */
const repositoryUrl = ({ repository }) =>
  repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

/** The bundle that Claude Desktop installs with one click. */
export const buildMcpbManifest = (pkg, tools) => ({
  manifest_version: '0.3',
  name: pkg.name,
  display_name: DISPLAY_NAME,
  version: pkg.version,
  description: pkg.description,
  author: { name: 'OpenChrome contributors', url: repositoryUrl(pkg) },
  repository: { type: 'git', url: repositoryUrl(pkg) },
  homepage: pkg.homepage,
  support: pkg.bugs.url,
  license: pkg.license,
  keywords: pkg.keywords,
  icon: 'icon.png',
  server: {
    type: 'node',
    entry_point: 'dist/index.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/dist/index.js'],
      env: { OPENCHROME_ALLOW_DOMAINS: '${user_config.allow_domains}' },
    },
  },
  tools: tools.map(({ name, description }) => ({ name, description })),
  tools_generated: true,
  compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: pkg.engines.node } },
  user_config: {
    allow_domains: {
      type: 'string',
      title: 'Allowed domains',
      description: 'Sites that Chrome may reach, separated by commas; empty for all',
      required: false,
      default: '',
    },
  },
});

/** `.claude-plugin/plugin.json` of the Claude Code plugin. */
export const buildClaudePlugin = (pkg) => ({
  name: pkg.name,
  version: pkg.version,
  description: pkg.description,
  author: { name: 'OpenChrome contributors', url: repositoryUrl(pkg) },
  homepage: pkg.homepage,
  repository: repositoryUrl(pkg),
  license: pkg.license,
  keywords: pkg.keywords,
});

/** `.mcp.json` of the Claude Code plugin. */
export const buildClaudeServers = () => ({
  mcpServers: {
    openchrome: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/dist/index.js'] },
  },
});

/** `.claude-plugin/marketplace.json` of the folder that contains the plugin. */
export const buildMarketplace = (pkg) => ({
  name: pkg.name,
  owner: { name: 'OpenChrome contributors' },
  metadata: { description: pkg.description, version: pkg.version },
  plugins: [{ name: pkg.name, source: `./plugins/${pkg.name}`, description: pkg.description }],
});

/** `gemini-extension.json` */
export const buildGeminiExtension = (pkg) => ({
  name: pkg.name,
  version: pkg.version,
  description: pkg.description,
  mcpServers: {
    openchrome: { command: 'node', args: ['${extensionPath}${/}dist${/}index.js'] },
  },
  contextFileName: 'GEMINI.md',
});
