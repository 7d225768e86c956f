import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import { defaultLimits } from '#access/rate-limits.ts';
import { type Address, checkConnection, type Db, openDatabase } from '#database/connect.ts';
import { commandName, migrate } from '#database/migrate.ts';
import { postgresFolder } from '#database/postgres-home.ts';
import { checkServer } from '#database/server.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import type { ServedChange } from '#endpoint/scope.ts';
import { assertGitPresent } from '#git/process/version.ts';
import { commit, version } from '#lib/release.ts';
import { StartupError } from '#lib/startup-error.ts';
import { hashToken } from '#lib/token.ts';
import { namespaceProvider } from '#runner-providers/namespaces/provider.ts';
import { processProvider } from '#runner-providers/process/provider.ts';
import { noProvider, type Provider } from '#runner-providers/provider.ts';
import type { Hearth, Settings } from '#server/hearth.ts';
import { type Belongings, type Claimed, claim } from './claim.ts';
import { type DataFolder, findSecretKey, makeSecretKey, openDataFolder, readHostKeys, secretKeyFile } from './data-folder.ts';
import { joinEmbedded } from './embedded.ts';
import { loadLimitOverrides } from './limit-settings.ts';
import { sharesHost } from './pages-host.ts';
import type { Config } from './settings.ts';

/** An opened installation: its data folder, its running database, and the settings for `openHearth`. */
export type Installation = {
  folder: DataFolder;
  address: Address;
  /** Whether it uses the embedded PostgreSQL. */
  embedded: boolean;
  /** Whether an embedded PostgreSQL was already running. */
  takenOver: boolean;
  settings: Settings;
  /** Leaves the embedded PostgreSQL, which stops if no other process uses it or this process is the server. */
  close(): Promise<void>;
};

type OpenOptions = Pick<Belongings, 'replaceKey'> & {
  /** Called as soon as this process only waits for the database. What blocks it may run then. */
  onDatabaseAwaited?: () => void;
};

/** Opens the installation of the settings, migrates its database, and checks that folders and secret key belong to it. */
export async function openInstallation(
  config: Config,
  role: 'server' | 'command',
  { onDatabaseAwaited = () => undefined, ...options }: OpenOptions = {},
): Promise<Installation> {
  const log = logOf(config, role);
  if (role === 'server')
    log.info({ version, commit, node: process.version, data: config.data, workers: config.workers }, 'starting');
  await assertGitPresent(process.env);
  const resourceLimits = await loadLimitOverrides(config.limits);
  const folder = await openDataFolder(config.data);
  if (folder.created && role === 'command') process.stderr.write(`There was no data folder ${folder.path}: it is a new one\n`);
  const opening = config.databaseUrl
    ? { address: { url: config.databaseUrl } }
    : joinEmbedded(folder.path, { role, log, onLaunched: onDatabaseAwaited });
  // The first start makes host keys, while PostgreSQL makes its files.
  const readingKeys = sshSettingsFor(config, role === 'server' ? folder : undefined);
  readingKeys.catch(() => undefined); // awaited below, unless the database can't be opened
  const opened = await opening;
  onDatabaseAwaited();
  const { address } = opened;
  const leave = 'leave' in opened ? opened.leave : async () => undefined;
  let claimed: Claimed;
  let ssh: Settings['ssh'];
  try {
    ssh = await readingKeys;
    await prepareDatabase(address, role, log);
    claimed = await claim(address, { ...belongingsOf(config, folder), ...options });
  } catch (error) {
    await leave();
    throw error;
  }
  return {
    folder,
    address,
    embedded: config.databaseUrl === undefined,
    takenOver: 'takenOver' in opened && opened.takenOver,
    settings: {
      ...settingsFor(config, {
        address,
        repositories: folder.repositories,
        installation: claimed.id,
        secretKey: claimed.secretKey,
        resourceLimits,
        log,
      }),
      ssh,
    },
    close: leave,
  };
}

function belongingsOf({ secretKey, objects }: Config, folder: DataFolder): Belongings {
  const { path, repositories } = folder;
  return {
    folders: { repositories, objects: objects ? undefined : join(path, 'objects') },
    secretKey: {
      find: async () => secretKey ?? findSecretKey(folder),
      make: () => makeSecretKey(folder),
      at: secretKey ? 'HEARTH_SECRET_KEY' : secretKeyFile(path),
    },
  };
}

async function prepareDatabase(address: Address, role: 'server' | 'command', log: Logger): Promise<void> {
  const database = openDatabase(address, { max: 1, name: commandName });
  try {
    await checkConnection(database, nameOf(address));
    await checkServer(database.db);
  } finally {
    await database.close();
  }
  await migrate(address, {
    alone: role === 'command',
    onApplied: (migration) => role === 'server' && log.info({ migration }, 'a migration was applied'),
  });
}

/** The address without its credentials, for messages. */
function nameOf(address: Address): string {
  if (!('url' in address)) return address.socket;
  const url = new URL(address.url);
  return `${url.host}${url.pathname}`;
}

/** The log. Commands log to standard error, since programs read their result. */
export const logOf = (config: Config, role: 'server' | 'command' = 'server'): Logger => {
  const options = { level: config.log, base: { pid: process.pid } };
  return role === 'server' ? pino(options) : pino(options, process.stderr);
};

/** The folder of the embedded PostgreSQL; undefined if another PostgreSQL is used. It may be a separate volume. */
export const databaseFolderOf = ({ databaseUrl, data }: Config): string | undefined =>
  databaseUrl === undefined ? postgresFolder(data) : undefined;

type OpenedSettings = Pick<Settings, 'address' | 'repositories' | 'installation' | 'log' | 'secretKey' | 'resourceLimits'>;

export function settingsFor(config: Config, paths: OpenedSettings): Settings {
  const { url } = config;
  return {
    ...paths,
    databaseFolder: databaseFolderOf(config),
    env: process.env,
    vocabulary: config.vocabulary,
    limits: { ...defaultLimits, enabled: config.rateLimits },
    version,
    searchBudget: config.searchBudget,
    slow: { request: config.slowRequest, statement: config.slowStatement },
    embeddings: {
      provider: config.embeddings,
      url: config.embeddingsUrl,
      model: config.embeddingsModel,
      key: config.embeddingsKey,
    },
    objects: {
      at: config.objects,
      endpoint: config.objectsEndpoint,
      region: config.objectsRegion,
      pathStyle: config.objectsPathStyle,
      accessKeyId: config.objectsKeyId,
      secretAccessKey: config.objectsKey,
      sessionToken: config.objectsSessionToken,
    },
    webhooks: { allow: config.webhookAllow ?? [], retries: config.webhookRetries, keepDays: config.webhookKeep },
    connections: config.connections,
    actionsOrigin: config.actionsOrigin,
    registryAddresses: config.registryAddresses,
    runners: { catalogue: config.runnerCatalogue, provider: providerFor(config), ...(url === undefined ? {} : { address: url }) },
    prices: config.prices,
    analysers: config.analysers,
    assistantServer:
      config.assistantUrl === undefined
        ? undefined
        : {
            url: config.assistantUrl,
            model: config.assistantModel,
            key: config.assistantKey,
            repositories: config.assistantRepositories,
          },
    knownClients: config.oauthClients,
    clock: () => new Date(),
    url,
    isIndexed: config.indexing,
    pages: pagesSettingsFor(config),
    advisories: config.advisories,
    dependencyBotRunner: config.dependencyBotRunner,
    trustedProxies: config.trustedProxies,
    adminTokenHash: config.adminToken === undefined ? undefined : hashToken(config.adminToken),
  };
}

/** The settings of SSH. Servers read the host keys of their data folder. Commands only need the addresses. */
export async function sshSettingsFor({ sshPort, sshUrl }: Config, folder: DataFolder | undefined): Promise<Settings['ssh']> {
  if (sshPort === 'off') return undefined;
  return { ...(sshUrl ?? { port: sshPort }), hostKeys: folder ? await readHostKeys(folder) : [] };
}

/**
 * The settings of websites; undefined if they are off, or would share the server's host.
 * @throws StartupError if they would share an origin with the server itself
 */
function pagesSettingsFor(config: Config): Settings['pages'] {
  const { pagesPort: port, pagesUrl: origin, url } = config;
  if (port === 'off') return undefined;
  const own = url === undefined ? undefined : new URL(url);
  // With subdomains for owners, an owner's host could equal the server's own host, or `api.` before it.
  const isBelow = origin?.hasSubdomains && (own?.hostname === origin.hostname || own?.hostname.endsWith(`.${origin.hostname}`));
  if (origin && own && (isBelow || own.origin === `${origin.protocol}//${origin.hostname}${origin.port}`))
    throw new StartupError('HEARTH_PAGES_URL must be another origin than HEARTH_URL: websites could act as who looks at them');
  return sharesHost(config) ? undefined : { origin, port };
}

export function providerFor(config: Config): Provider {
  const { runnerProvider, runnerProgram: program, data } = config;
  const own = { folder: join(data, 'runners'), path: process.env.PATH ?? '', program };
  if (runnerProvider === 'process') return processProvider(own);
  if (runnerProvider !== 'namespaces') return noProvider;
  const { runnerNetwork: network, runnerAllow: allow, runnerTools: tools, url: address } = config;
  const database = databaseFolderOf(config);
  return namespaceProvider({
    ...own,
    network,
    address,
    allow,
    tools,
    hidden: [data, ...(database === undefined ? [] : [database])],
  });
}

/** Runs `work` on an installation, whether or not its server is running. It starts the embedded PostgreSQL if necessary. */
export async function withInstallation<T>(
  config: Config,
  work: (installation: Installation, hearth: Hearth) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(config, 'command');
  try {
    const { openHearth } = await import('#server/hearth.ts');
    await using hearth = await openHearth({
      ...installation.settings,
      connections: 4,
      connectionName: commandName,
      work: 'command',
    });
    return await work(installation, hearth);
  } finally {
    await installation.close();
  }
}

/** The context of most commands. */
export type CommandContext = { hearth: Hearth; db: Db; change: ServedChange; now: Date };

export const withContext = <T>(config: Config, work: (installation: CommandContext) => Promise<T>): Promise<T> =>
  withInstallation(config, (_installation, hearth) => {
    const now = new Date();
    const { services } = hearth;
    const { db } = hearth.database;
    return work({ hearth, db, change: (write) => changeWithoutRequest({ db, services, now }, write), now });
  });
