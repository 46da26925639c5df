// The fields of the configuration. Each defines its flag, OPENCHROME_ variable, JSON key and docs.
import { z } from 'zod';
import { ConsentRule } from './consent-rule.ts';
import { defined } from './defined.ts';
import { LOG_LEVELS } from './log.ts';

export interface ConfigField<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** `file`: only the owner's openchrome.json can set it; it has no flag and no variable. */
  readonly kind: 'switch' | 'value' | 'list' | 'file';
  readonly describe: string;
  /** How help shows the value: `--http <PORT>`. */
  readonly placeholder?: string;
  /** Other environment variables that set this field. */
  readonly env?: readonly string[];
  /** Rejected in the openchrome.json of a working folder: the folder may come from a stranger. */
  readonly ownerOnly?: true;
  /**
   * Limits what agents may reach, see or do. A daemon must not serve a client whose value differs.
   */
  readonly restricts?: true;
  /** Contains a password: never shown. */
  readonly secret?: true;
}

const ownerOnly = <F extends ConfigField>(field: F): F & { readonly ownerOnly: true } => ({
  ...field,
  ownerOnly: true,
});
const restricting = <F extends ConfigField>(field: F): F & { readonly restricts: true } => ({
  ...field,
  restricts: true,
});
/** A setting that limits agents and that only the owner of the machine may change. */
const limit = <F extends ConfigField>(
  field: F,
): F & { readonly ownerOnly: true; readonly restricts: true } => restricting(ownerOnly(field));

const onOff = (describe: string): ConfigField<z.ZodOptional<z.ZodBoolean>> => ({
  schema: z.boolean().optional(),
  kind: 'switch',
  describe,
});
const off = (describe: string): ConfigField<z.ZodDefault<z.ZodBoolean>> => ({
  schema: z.boolean().default(false),
  kind: 'switch',
  describe,
});
const on = (describe: string): ConfigField<z.ZodDefault<z.ZodBoolean>> => ({
  schema: z.boolean().default(true),
  kind: 'switch',
  describe,
});
const value = <T extends z.ZodType>(
  schema: T,
  placeholder: string,
  describe: string,
  env?: readonly string[],
): ConfigField<T> => ({
  schema,
  kind: 'value',
  placeholder,
  describe,
  ...defined({ env }),
});
const listOf = (
  item: z.ZodString,
  placeholder: string,
  describe: string,
): ConfigField<z.ZodDefault<z.ZodArray<z.ZodString>>> => ({
  schema: z.array(item).default([]),
  kind: 'list',
  placeholder,
  describe,
});
const list = (
  placeholder: string,
  describe: string,
): ConfigField<z.ZodDefault<z.ZodArray<z.ZodString>>> =>
  listOf(z.string().min(1), placeholder, describe);

const port = z.coerce.number().int().min(0).max(65535);

const HOST_FILE = z
  .string()
  .regex(/^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?=.+$/i, 'HOST=FILE or HOST:PORT=FILE');

/** HOST or HOST:PORT, and the SHA-256 hash of its certificate, with or without colons. */
const CERTIFICATE_PIN =
  /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?=(?:[0-9a-f]{64}|[0-9a-f]{2}(?::[0-9a-f]{2}){31})$/i;

export const CONFIG_FIELDS = {
  // Serving
  http: ownerOnly(
    value(
      port.optional(),
      'PORT',
      'Serve MCP over HTTP on this port instead of stdio (0: any free port)',
    ),
  ),
  host: ownerOnly(
    value(
      z.string().min(1).default('127.0.0.1'),
      'ADDRESS',
      'Address to listen on; any address except loopback requires a token',
    ),
  ),
  token: ownerOnly(
    value(z.string().min(16).optional(), 'TOKEN', 'Bearer token that HTTP clients must send'),
  ),
  allowHost: ownerOnly(
    list('NAME', 'Additional host name that HTTP requests may have in their Host header'),
  ),
  allowOrigin: ownerOnly(list('ORIGIN', 'Web origin that may call the HTTP server')),
  maxRequestBytes: ownerOnly(
    value(
      z.coerce
        .number()
        .int()
        .min(1024)
        .default(4 * 1024 * 1024),
      'BYTES',
      'Largest request: an HTTP body or a line on stdin',
    ),
  ),
  shared: ownerOnly(
    off(
      'Serve stdio through the daemon: several hosts then share one Chrome, ' +
        'each with its own tabs',
    ),
  ),
  cluster: {
    ...ownerOnly(
      value(
        z
          .string()
          .regex(/^postgres(?:ql)?:\/\/\S{1,2000}$/, 'postgres://USER:PASSWORD@HOST/DATABASE')
          .optional(),
        'URL',
        'Store tasks and payloads in this PostgreSQL database, and let workers run crawls; see ' +
          'docs/cluster.md. Better set as a variable: other users can read flags',
      ),
    ),
    secret: true,
  },
  slots: ownerOnly(
    value(
      z.coerce.number().int().min(1).max(64).default(4),
      'NUMBER',
      'Pages that a worker of a cluster loads at a time',
    ),
  ),
  daemonIdleSeconds: value(
    z.coerce.number().min(0).max(31_536_000).default(3600),
    'SECONDS',
    'The daemon exits after this time without work (0: never)',
  ),
  dashboardReadonly: limit(
    off('The dashboard shows everything and changes nothing: no take-over, answers or cancelling'),
  ),
  readOnly: limit(off('Reject tools that act; pages can still be opened and read')),
  policy: limit({
    schema: z.array(ConsentRule).max(200).default([]),
    kind: 'file',
    describe:
      'Rules about what calls may do: [{"decision": "allow|ask|deny", "effect": ..., "domains": ' +
      '[...], "tools": [...], "sessions": [...]}]; see [consent.md](consent.md)',
  }),
  elicitation: limit(
    on(
      'Also put questions to the user to an MCP client that offers it; --no-elicitation leaves ' +
        'them to the dashboard and the terminal',
    ),
  ),
  disableTools: limit(list('NAME', 'Tool that is neither listed nor can be called')),
  slim: off('List only the core tools'),
  allTools: off('List every tool'),
  hints: on('Add one line of advice after a failure or a repeated call; --no-hints turns it off'),
  structuredContent: off(
    'Also send JSON results as structuredContent (some hosts then show them to the model twice)',
  ),

  // Chrome
  headless: onOff('Run Chrome without a window (the default if there is no display)'),
  headed: onOff('Run Chrome with a window'),
  chromePath: ownerOnly(
    value(z.string().min(1).optional(), 'FILE', 'Path of the Chrome, Chromium or Edge to run', [
      'CHROME_PATH',
    ]),
  ),
  chromeArg: limit(list('FLAG', 'Additional flag for Chrome')),
  extension: limit(
    list(
      'DIR',
      'Folder of an unpacked extension to load; for sessions that use the profile, not in the ' +
        'headless shell',
    ),
  ),
  chromeIdleSeconds: value(
    z.coerce.number().min(0).max(31_536_000).default(0),
    'SECONDS',
    'Close Chrome after this time without a call; the next call starts it again (0: never)',
  ),
  profile: limit(
    value(
      z.string().min(1).optional(),
      'DIR',
      'Profile folder of Chrome (default: a folder of OpenChrome in the home folder)',
    ),
  ),
  login: limit(
    value(
      z.string().min(1).max(100).optional(),
      'NAME',
      'Saved login to restore when the first tab of the default session is opened',
    ),
  ),
  initScript: limit(
    list(
      'FILE',
      'JavaScript file that runs in every document before its own scripts (SESSION=FILE: only in ' +
        'the tabs of this session)',
    ),
  ),
  sessionStorage: limit(
    value(
      z.enum(['own', 'profile']).default('own'),
      'KIND',
      'Cookies and storage of named sessions: own (separate for each session, deleted when it is ' +
        'closed) or profile (shared, kept)',
    ),
  ),
  isolated: restricting(off('Use a temporary profile that is deleted when Chrome exits')),
  attach: limit(
    value(
      z.string().min(1).optional(),
      'URL|auto|extension',
      'Use a Chrome that is already running; it is never closed. extension: through the ' +
        'OpenChrome extension (see "openchrome setup --extension")',
    ),
  ),
  attachHeader: limit(
    listOf(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]+=[^\r\n]*$/, 'NAME=VALUE'),
      'NAME=VALUE',
      'Header for the connection to the browser of --attach or --attach-from',
    ),
  ),
  attachFrom: limit(
    value(
      z
        .string()
        .regex(/^https?:\/\/\S+$/, 'an http or https address')
        .optional(),
      'URL',
      'Request the address of a remote browser with a POST to this URL, and use that browser',
    ),
  ),
  sandbox: limit(
    onOff("Use Chrome's sandbox (default: on, except as root on Linux); --no-sandbox turns it off"),
  ),
  viewport: value(
    z
      .string()
      .regex(/^\d{2,5}x\d{2,5}$/, 'WIDTHxHEIGHT')
      .default('1280x720'),
    'WxH',
    'Size of a page in headless Chrome',
  ),

  dialogs: limit(
    value(
      z.enum(['ask', 'accept', 'dismiss']).default('ask'),
      'POLICY',
      'How to answer JavaScript dialogs: ask (wait for handle_dialog), accept or dismiss (at ' +
        'once, with a note in the reply; beforeunload is always accepted)',
    ),
  ),

  // Output
  outputMode: value(
    z.enum(['inline', 'handle', 'auto']).default('inline'),
    'MODE',
    'Default for output_mode: inline (in the reply up to 100 KB, larger ones on disk), ' +
      'handle (on disk) or auto (by size)',
  ),
  outputHandleTtlHours: ownerOnly(
    value(
      z.coerce.number().min(0).max(87_600).default(24),
      'HOURS',
      'How long a stored payload can be fetched',
    ),
  ),
  outputHandleSweepIntervalSeconds: value(
    z.coerce.number().min(1).max(86_400).default(300),
    'SECONDS',
    'How often expired payloads are deleted',
  ),
  outputStoreMaxBytes: ownerOnly(
    value(
      z.coerce
        .number()
        .int()
        .min(1)
        .default(2 * 1024 ** 3),
      'BYTES',
      'Total size of all stored payloads; above it the oldest are deleted',
    ),
  ),
  sanitizeContent: limit(
    on('Remove invisible text from page text; --no-sanitize-content keeps it'),
  ),
  allowReveal: limit(off('Show secrets to calls with reveal: true')),
  secrets: limit(
    value(
      z.string().min(1).optional(),
      'FILE',
      'Dotenv file of NAME=value or NAME@host,host=value lines, ' +
        'filled only into fields of these hosts (or of hosts confirmed with `openchrome secrets ' +
        'allow`) and never shown',
    ),
  ),

  // Limits and paths
  allowDomains: limit(
    list(
      'DOMAINS',
      'Allow only these hosts: example.com (with its subdomains), *.example.com (only its ' +
        'subdomains), localhost:3000, 10.0.0.5',
    ),
  ),
  blockDomains: limit(
    list('DOMAINS', 'Block these hosts, even if --allow-domains allows them (same syntax)'),
  ),
  proxy: limit(
    listOf(
      z
        .string()
        .regex(
          /^(?:https?=)?(?:(?:https?|socks5):\/\/[^\s/]+\/?|pac:.+)$/,
          'http://, https:// or socks5:// with a host, https=URL for one scheme, or pac:FILE',
        ),
      'URL',
      'Connect through this proxy: http://USER:PASSWORD@HOST:PORT, https:// or socks5://, ' +
        'http=URL or https=URL for one scheme, or pac:FILE',
    ),
  ),
  proxyBypass: limit(
    list('HOST', 'Host that is reached without --proxy: example.com, *.example.com, 10.0.0.5'),
  ),
  proxyDns: limit(
    off(
      'Let the proxy of --proxy resolve host names; the addresses of names that this machine ' +
        'cannot resolve are then not checked',
    ),
  ),
  acceptCertificate: limit(
    listOf(
      z.string().regex(CERTIFICATE_PIN, 'HOST=SHA256 or HOST:PORT=SHA256'),
      'HOST=SHA256',
      'Accept this certificate of this server (HOST:PORT if the port is not 443), although its ' +
        'issuer is not trusted',
    ),
  ),
  caCert: limit(
    list('FILE', 'Also trust the issuers in this PEM file, for hosts that are not on this machine'),
  ),
  clientCert: limit(
    listOf(
      HOST_FILE,
      'HOST=FILE',
      'Client certificate for this server (HOST:PORT if the port is not 443): a PEM or PFX file',
    ),
  ),
  clientKey: limit(
    listOf(HOST_FILE, 'HOST=FILE', 'Private key of --client-cert, if it is in another PEM file'),
  ),
  clientCertPassword: limit(
    listOf(
      z.string().regex(/^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?=\w+$/i, 'HOST=NAME'),
      'HOST=NAME',
      'Name of the secret in --secrets that decrypts the key of --client-cert',
    ),
  ),
  insecure: limit(off('Ignore all certificate errors, in Chrome and in fetches')),
  allowPrivateNetwork: limit(
    off('Allow private and link-local addresses (cloud metadata stays blocked)'),
  ),
  allowScheme: limit(
    list('NAME', 'Also open URLs with this scheme: chrome, data, javascript, view-source'),
  ),
  allowFileAccess: limit(off('Open file:// URLs of files in the folders that tools may use')),
  allowRoot: limit(
    list(
      'DIR',
      'Folder in which tools may read and write files, ' +
        'besides the working folder and the home folder',
    ),
  ),
  keepDays: ownerOnly(
    value(
      z.coerce.number().min(0).max(36_500).default(30),
      'DAYS',
      'How long evidence bundles, saved sessions and downloads are kept in the home folder',
    ),
  ),
  logLevel: value(
    z.enum(LOG_LEVELS).default('warn'),
    'LEVEL',
    `Log level on stderr: ${LOG_LEVELS.join(', ')}`,
  ),
} as const satisfies Record<string, ConfigField>;
