import { parsePagesOrigin } from '#endpoint/pages-address.ts';
import { StartupError } from '#lib/startup-error.ts';
import { knownClientNames } from '#resources/repositories/apps/client-ids.ts';
import { vocabularies } from '#vocabulary/words.ts';
import { parseLimits } from './limit-settings.ts';
import { modelSettings } from './model-settings.ts';
import { runnerSettings } from './runner-settings.ts';
import {
  addressRanges,
  adminToken,
  asPath,
  bucketName,
  namesAmong,
  oneOf,
  onOff,
  portOrOff,
  postgresAddress,
  registryAddresses,
  runnerLabels,
  secretKey,
  serverAddress,
  sourceToken,
  sshAddress,
  webAddress,
  wholeNumber,
} from './setting-values.ts';

/** One setting: a flag, a variable, or both. Secrets have no flag, since all users of a machine can read command lines. */
export type Setting<T> = {
  readonly flag?: string;
  readonly variable: string;
  /** The default, as the text of the variable. */
  readonly initial?: string;
  readonly about: string;
  readonly secret?: true;
  /** Parses a value. @throws Error with the allowed values */
  readonly parse: (text: string) => T;
};

/** All settings of Hearth. `hearth config` prints this table with the effective values. */
export const settings = {
  port: {
    flag: '--port <number>',
    variable: 'HEARTH_PORT',
    initial: '3000',
    parse: wholeNumber(0, 65_535),
    about: 'port to listen on; 0 takes a free one',
  },
  host: {
    flag: '--host <address>',
    variable: 'HEARTH_HOST',
    initial: '127.0.0.1',
    parse: String,
    about: 'address to listen on; 0.0.0.0 for every network of the machine',
  },
  sshPort: {
    flag: '--ssh-port <number>',
    variable: 'HEARTH_SSH_PORT',
    initial: '2222',
    parse: portOrOff,
    about: 'port for Git over SSH, on the same address; 0 takes a free one, off offers none',
  },
  sshUrl: {
    flag: '--ssh-url <address>',
    variable: 'HEARTH_SSH_URL',
    parse: sshAddress,
    about:
      'address at which people reach Git over SSH, such as ssh://code.example.com:22; omitted: the host of the web, and the port',
  },
  pagesPort: {
    flag: '--pages-port <number>',
    variable: 'HEARTH_PAGES_PORT',
    initial: '3001',
    parse: portOrOff,
    about: 'port for websites of repositories, on the same address; 0 takes a free one, off serves none',
  },
  pagesUrl: {
    flag: '--pages-url <address>',
    variable: 'HEARTH_PAGES_URL',
    parse: parsePagesOrigin,
    about:
      'address at which people reach websites, such as https://pages.example.com, or https://*.pages.example.com for a ' +
      'host for each owner and each private website; omitted: the host of the web, and the port',
  },
  data: {
    flag: '--data <folder>',
    variable: 'HEARTH_DATA',
    initial: './data',
    parse: asPath,
    about: 'folder of the repositories, the embedded database and the secret key',
  },
  url: {
    flag: '--url <address>',
    variable: 'HEARTH_URL',
    parse: webAddress,
    about: 'address at which people reach the server; omitted: the address of their request',
  },
  trustedProxies: {
    flag: '--trusted-proxies <ranges>',
    variable: 'HEARTH_TRUSTED_PROXIES',
    parse: addressRanges,
    about: 'addresses of the proxies in front, such as 127.0.0.1,10.0.0.0/8: what their X-Forwarded headers say is believed',
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    secret: true,
    parse: postgresAddress,
    about: 'a PostgreSQL of your own (15 or newer) instead of the embedded one',
  },
  connections: {
    flag: '--connections <number>',
    variable: 'HEARTH_CONNECTIONS',
    initial: '20',
    parse: wholeNumber(4, 500),
    about: 'connections that each process keeps to PostgreSQL at most; fewer where PostgreSQL allows fewer',
  },
  objects: {
    variable: 'HEARTH_OBJECTS',
    parse: bucketName,
    about: 'bucket of the files of releases, such as s3://bucket/prefix; omitted: a folder of the data folder',
  },
  objectsPathStyle: {
    variable: 'HEARTH_OBJECTS_PATH_STYLE',
    parse: onOff,
    about: 'whether addresses of objects name the bucket in their path; omitted: with AWS_ENDPOINT_URL_S3 alone',
  },
  objectsEndpoint: {
    variable: 'AWS_ENDPOINT_URL_S3',
    parse: serverAddress,
    about: "address of the bucket's server, as http://10.0.0.5:9000; omitted: Amazon's",
  },
  objectsRegion: {
    variable: 'AWS_REGION',
    initial: 'us-east-1',
    parse: String,
    about: 'region of the bucket',
  },
  objectsKeyId: {
    variable: 'AWS_ACCESS_KEY_ID',
    parse: String,
    about: 'name of the key that may read and write the bucket',
  },
  objectsKey: {
    variable: 'AWS_SECRET_ACCESS_KEY',
    secret: true,
    parse: String,
    about: 'that key',
  },
  objectsSessionToken: {
    variable: 'AWS_SESSION_TOKEN',
    secret: true,
    parse: String,
    about: 'token of a key that ends',
  },
  advisories: {
    variable: 'HEARTH_ADVISORIES',
    parse: asPath,
    about: 'folder of advisories about vulnerable packages, as OSV files; omitted: dependencies are listed, and raise no alerts',
  },
  dependencyBotRunner: {
    variable: 'HEARTH_DEPENDENCY_BOT_RUNNER',
    parse: runnerLabels,
    about: 'labels of the runners for the jobs of the dependency bot, with commas between; omitted: ubuntu-latest',
  },
  vocabulary: {
    flag: '--vocabulary <words>',
    variable: 'HEARTH_VOCABULARY',
    initial: 'service',
    parse: oneOf(...vocabularies),
    about: 'vocabulary of the replies: neutral (service), or that of the public API (github)',
  },
  workers: {
    flag: '--workers <number>',
    variable: 'HEARTH_WORKERS',
    initial: '1',
    parse: wholeNumber(1, 64),
    about: 'number of processes that answer requests',
  },
  jobs: {
    flag: '--jobs <on|off>',
    variable: 'HEARTH_JOBS',
    initial: 'on',
    parse: onOff,
    about: 'whether the server runs background jobs too; turn it off where `hearth work` runs them',
  },
  rateLimits: {
    flag: '--rate-limits <on|off>',
    variable: 'HEARTH_RATE_LIMITS',
    initial: 'on',
    parse: onOff,
    about: 'whether requests are counted and limited',
  },
  limits: {
    flag: '--limits <limits>',
    variable: 'HEARTH_LIMITS',
    parse: parseLimits,
    about: 'limits that replace the defaults of docs/limits.md, such as git.transfers=32,requests.body=2M',
  },
  slowRequest: {
    flag: '--slow-request <ms>',
    variable: 'HEARTH_SLOW_REQUEST',
    initial: '5000',
    parse: wholeNumber(0, 3_600_000),
    about: 'milliseconds from which a request is logged as slow, as a warning; 0 for never',
  },
  slowStatement: {
    flag: '--slow-statement <ms>',
    variable: 'HEARTH_SLOW_STATEMENT',
    initial: '1000',
    parse: wholeNumber(0, 3_600_000),
    about: 'milliseconds from which a statement of PostgreSQL is logged, without its values; 0 for never',
  },
  searchBudget: {
    flag: '--search-budget <ms>',
    variable: 'HEARTH_SEARCH_BUDGET',
    initial: '2000',
    parse: wholeNumber(10, 60_000),
    about: 'milliseconds after which a search gives what it has found until then',
  },
  ...modelSettings,
  tlsCert: {
    flag: '--tls-cert <file>',
    variable: 'HEARTH_TLS_CERT',
    parse: asPath,
    about: 'certificate (PEM, with its chain); with --tls-key, Hearth speaks HTTPS',
  },
  tlsKey: { flag: '--tls-key <file>', variable: 'HEARTH_TLS_KEY', parse: asPath, about: 'private key of the certificate (PEM)' },
  webhookAllow: {
    flag: '--webhook-allow <ranges>',
    variable: 'HEARTH_WEBHOOK_ALLOW',
    parse: addressRanges,
    about: 'private address ranges that webhooks may reach, as 10.0.0.0/8,192.168.0.0/16',
  },
  webhookRetries: {
    flag: '--webhook-retries <number>',
    variable: 'HEARTH_WEBHOOK_RETRIES',
    initial: '0',
    parse: wholeNumber(0, 10),
    about: 'how often a failed delivery of a webhook is sent again automatically',
  },
  webhookKeep: {
    flag: '--webhook-keep <days>',
    variable: 'HEARTH_WEBHOOK_KEEP',
    initial: '7',
    parse: wholeNumber(1, 365),
    about: 'days after which deliveries of webhooks are deleted',
  },
  prices: {
    flag: '--prices <file>',
    variable: 'HEARTH_PRICES',
    parse: asPath,
    about: 'file of what minutes, storage and the assistant cost (JSON); omitted: nothing costs anything',
  },
  analysers: {
    flag: '--analysers <file>',
    variable: 'HEARTH_ANALYSERS',
    parse: asPath,
    about: 'file of workflows that analyse code, by product and language (JSON); omitted: default setups can not be configured',
  },
  runnerCatalogue: {
    flag: '--runner-catalogue <file>',
    variable: 'HEARTH_RUNNER_CATALOGUE',
    parse: asPath,
    about: 'file of images, sizes and limits of hosted runners (JSON), instead of the built-in ones',
  },
  actionsOrigin: {
    flag: '--actions-origin <address>',
    variable: 'HEARTH_ACTIONS_ORIGIN',
    parse: webAddress,
    about:
      'where actions come from that this server has not, such as https://code.example.com; who reaches this server can read it',
  },
  registryAddresses: {
    variable: 'HEARTH_REGISTRY_ADDRESSES',
    parse: registryAddresses,
    about:
      'addresses at which clouds and registries exchange identity tokens, as cloud_a=https://login.microsoftonline.us; ' +
      'omitted: the public ones',
  },
  ...runnerSettings,
  oauthClients: {
    flag: '--oauth-clients <names>',
    variable: 'HEARTH_OAUTH_CLIENTS',
    initial: 'gh,git_credential_manager,vscode',
    parse: namesAmong(knownClientNames),
    about: 'programs with client ids of their own that people may sign in by: gh, git_credential_manager, vscode, or none',
  },
  indexing: {
    flag: '--indexing <on|off>',
    variable: 'HEARTH_INDEXING',
    initial: 'off',
    parse: onOff,
    about: 'whether search engines may list the pages that everybody may read',
  },
  adminLogin: {
    variable: 'HEARTH_ADMIN_LOGIN',
    parse: String,
    about: 'user name of the first administrator, who is made at the start of a server without users; with HEARTH_ADMIN_PASSWORD',
  },
  adminPassword: {
    variable: 'HEARTH_ADMIN_PASSWORD',
    secret: true,
    parse: String,
    about: 'password of the first administrator',
  },
  adminToken: {
    variable: 'HEARTH_ADMIN_TOKEN',
    secret: true,
    parse: adminToken,
    about: "a site administrator's token of your choice, set up at start",
  },
  secretKey: {
    variable: 'HEARTH_SECRET_KEY',
    secret: true,
    parse: secretKey,
    about: 'key that encrypts stored secrets (32 bytes in base64 or hexadecimal digits); omitted: one is made in the data folder',
  },
  importToken: {
    variable: 'HEARTH_IMPORT_TOKEN',
    secret: true,
    parse: sourceToken,
    about: 'token of the server from which `hearth import` reads',
  },
  log: {
    flag: '--log <level>',
    variable: 'HEARTH_LOG',
    initial: 'info',
    parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    about: 'what is logged, from debug (all) to silent (nothing)',
  },
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;
type Declared<Name extends SettingName> = (typeof settings)[Name];

/** The effective values. Settings without a default may be undefined. */
export type Config = {
  readonly [Name in SettingName]:
    | ReturnType<Declared<Name>['parse']>
    | (Declared<Name> extends { initial: string } ? never : undefined);
};

/** The source of a value. */
export type Source = 'flag' | 'variable' | 'initial' | 'none';

export type TextValues = Readonly<Record<string, string | undefined>>;

/**
 * Reads all settings: the flag first, then the variable, then the default. An empty variable counts as missing.
 * @throws StartupError with the name and the allowed values of an invalid setting
 */
export function readConfig(flags: TextValues, env: TextValues): { config: Config; sources: Record<SettingName, Source> } {
  const config: Record<string, unknown> = {};
  const sources: Partial<Record<SettingName, Source>> = {};
  for (const name of settingNames) {
    const { parse, initial, variable, flag }: Setting<unknown> = settings[name];
    const [source, text] = firstGiven([
      ['flag', flags[name]],
      ['variable', env[variable] || undefined],
      ['initial', initial],
    ]);
    sources[name] = source;
    try {
      config[name] = text === undefined ? undefined : parse(text);
    } catch (error) {
      const label = source === 'flag' ? (flag ?? name).split(' ')[0] : variable;
      throw new StartupError(`${label} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { config: config as Config, sources: sources as Record<SettingName, Source> }; // every name of the table was set above
}

export const settingNames = Object.keys(settings) as SettingName[];

const firstGiven = (candidates: [Source, string | undefined][]): [Source, string | undefined] =>
  candidates.find(([, text]) => text !== undefined) ?? ['none', undefined];
