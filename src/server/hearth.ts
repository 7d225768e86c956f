import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Limits } from '#access/rate-limits.ts';
import type { Address, Database } from '#database/connect.ts';
import { databaseLimits } from '#database/limits.ts';
import { openPools, type Work } from '#database/pools.ts';
import { openSessionLocks } from '#database/session-locks.ts';
import { type JobContext, jobContext } from '#endpoint/job-context.ts';
import { linksOf } from '#endpoint/links.ts';
import type { PagesOrigin } from '#endpoint/pages-address.ts';
import type { CoreServices, FamilySettings, Services } from '#endpoint/services.ts';
import { deliveryJobs } from '#events/delivery-jobs.ts';
import { outboxLoop } from '#events/outbox-loop.ts';
import { gitLimits } from '#git/limits.ts';
import { openGitStore, storeUntil } from '#git/store.ts';
import { defaultConcurrency, type WorkerOptions } from '#jobs/worker.ts';
import { resourceLimits } from '#lib/limits.ts';
import { openSecrets } from '#lib/secrets.ts';
import type { SshKey } from '#lib/ssh-key.ts';
import { openRecordLookup } from '#net/dns-records.ts';
import { nameLimits } from '#net/limits.ts';
import { openOutbound } from '#net/outbound.ts';
import { openResolver } from '#net/resolver.ts';
import { measured } from '#objects/measured.ts';
import { type ObjectSettings, openObjects } from '#objects/open.ts';
import {
  allBackgroundLoops,
  allEndpoints,
  allFollowUps,
  allJobs,
  allLimits,
  allRoutes,
  allSchemas,
  allSubscriptions,
  type LimitOverrides,
  makeFamilyServices,
  ruleEvaluators,
} from '#resources/all.ts';
import { openRunners, type RunnerSettings } from '#runner-providers/open.ts';
import { type EmbeddingSettings, openEmbedder, openEmbeddings } from '#search/embeddings/index.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import { defaultWebhookSettings, type WebhookSettings } from '#webhook-delivery/settings.ts';
import { buildApp } from './app.ts';
import { explainerOf } from './explainer.ts';
import { openLimiters } from './limiters.ts';
import type { MetricsReader } from './metrics.ts';
import { defaultSlowThresholds, type SlowThresholds } from './request-log.ts';

/** The settings of a Hearth. The command line and the tests make them. */
export type Settings = FamilySettings & {
  address: Address;
  /**
   * The folder of all repositories. Sibling folders hold archives of migrations, and release assets if no bucket is configured.
   */
  repositories: string;
  /** The id of the installation, which marks its folders. Omitted: lost folders aren't always detected. */
  installation?: string | undefined;
  /** The folder of the embedded PostgreSQL. Omitted: another database is used. */
  databaseFolder?: string | undefined;
  env: NodeJS.ProcessEnv;
  url?: string;
  /** Whether search engines may list pages that everybody may read. Omitted: they may not. */
  isIndexed?: boolean;
  /** Addresses and ranges of the proxies whose X-Forwarded headers are used. Omitted: none. */
  trustedProxies?: string[];
  vocabulary: Vocabulary;
  limits: Limits;
  /** Values that replace limits in the table of limits. */
  resourceLimits?: LimitOverrides;
  /** 32 bytes, kept outside the database (security decision 9). */
  secretKey: Buffer;
  version: string;
  searchBudget?: number | undefined;
  /** Omitted: the defaults. */
  slow?: SlowThresholds;
  /** Omitted: release assets are stored in a folder. */
  objects?: ObjectSettings;
  /** Omitted: semantic search is off. */
  embeddings?: EmbeddingSettings;
  webhooks?: Partial<WebhookSettings>;
  runners?: RunnerSettings;
  log: Logger;
  clock: () => Date;
  connections?: number;
  /** The work of this process, which determines the division of its connections. Omitted: requests and jobs. */
  work?: Work;
  /** The `application_name` of its PostgreSQL connections, if it isn't a server. */
  connectionName?: string;
  adminTokenHash?: Buffer;
  tls?: { key: string; cert: string };
  readMetrics?: MetricsReader;
  /** Git over SSH. Omitted: it is disabled. */
  ssh?: SshSettings;
  /** Repositories' websites. Omitted: none are served. */
  pages?: PagesSettings;
  /** DNS servers, such as `127.0.0.1:53`. Omitted: the system's servers. */
  nameServers?: readonly string[];
};

/** The address of websites, and the port that the process listens on. The port changes if the server picks a free one. */
export type PagesSettings = { origin?: PagesOrigin | undefined; port: number };

/** The public SSH address of the server. `port` changes if the server picks a free one. `privateKey` is in OpenSSH's format. */
export type SshSettings = { host?: string | undefined; port: number; hostKeys: readonly (SshKey & { privateKey: string })[] };

/** An opened Hearth: its database, its services, the HTTP application and the worker's options. It doesn't listen yet. */
export type Hearth = {
  /** For requests. The worker has its own connections. */
  database: Database;
  services: Services;
  app: FastifyInstance;
  worker: WorkerOptions<Services, JobContext>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Opens the database, the Git store and all services, and builds the application. It doesn't start a worker. */
export async function openHearth(settings: Settings): Promise<Hearth> {
  const { log, clock, vocabulary, limits, version, searchBudget = 2_000 } = settings;
  const runners = await openRunners(settings.runners);
  const resources = resourceLimits(allLimits, settings.resourceLimits);
  const { nameServers: servers } = settings;
  const resolve = openResolver({ limits: resources.of(nameLimits), ...(servers ? { servers } : {}) });
  // Private addresses are allowed, since only the administrator configures these servers, which are often in the same network.
  const ownServers = openOutbound({ allow: ['0.0.0.0/0', '::/0'], resolve });
  const embedder = openEmbedder(settings.embeddings ?? { provider: 'off' }, ownServers);
  const folder = join(dirname(settings.repositories), 'objects');
  const { store: objects, metric: objectMetric } = measured(
    openObjects(
      settings.objects && { onFailure: (err) => log.error({ err }, 'the bucket failed'), ...settings.objects },
      folder,
      ownServers,
      settings.installation,
    ),
  );
  const { slow = defaultSlowThresholds } = settings;
  const pools = openPools(settings.address, {
    ...settings,
    limits: resources.of(databaseLimits),
    slowStatement: { ms: slow.statement, note: (fields) => log.warn(fields, 'a statement was slow') },
  });
  const database = pools.requests;
  const git = await openGitStore({
    root: settings.repositories,
    env: settings.env,
    limits: resources.of(gitLimits),
    installation: settings.installation,
  });
  const webhooks = { ...defaultWebhookSettings, ...settings.webhooks };
  const outbound = openOutbound({ allow: webhooks.allow, resolve });
  const embeddings = embedder && openEmbeddings(embedder, database.db);
  const secrets = openSecrets(settings.secretKey);
  const core: CoreServices = {
    git,
    migrations: join(dirname(settings.repositories), 'migrations'),
    objects,
    vocabulary,
    limits,
    resourceLimits: resources,
    limiters: openLimiters(resources),
    secrets,
    version,
    openedAt: clock(),
    searchBudget,
    embeddings,
    outbound,
    ownServers,
    lookUpRecords: openRecordLookup({ timeout: resources.of(nameLimits).lookupTime, servers }),
    webhooks,
    runners,
    explainer: explainerOf(allEndpoints),
    url: settings.url,
    isIndexed: settings.isIndexed ?? false,
    followUps: allFollowUps,
    ssh: settings.ssh && published(settings.ssh),
    pages: settings.pages && addressOf(settings.pages, settings),
  };
  const connections = database.pool.options.max;
  const services = { ...core, ...(await makeFamilyServices({ settings, services: core, connections, ruleEvaluators })) };
  const app = buildApp({
    ...settings,
    endpoints: allEndpoints,
    routes: allRoutes,
    schemas: allSchemas,
    database,
    services,
    objectMetric,
  });
  const { jobs } = pools;
  const locks = openSessionLocks(jobs.clientConfig, 'hearth outbox');
  const worker = {
    database: jobs,
    // One connection listens for new jobs, and the others are for the loops, which therefore don't wait for jobs.
    concurrency: Math.max(1, Math.min(defaultConcurrency, Math.floor(jobs.pool.options.max / 2))),
    jobs: [...deliveryJobs(allSubscriptions), ...allJobs],
    loops: [outboxLoop(allSubscriptions, { locks, contextOf: jobContext }), ...allBackgroundLoops],
    services,
    contextOf: jobContext,
    servicesUntil: (signal: AbortSignal): Services => ({ ...services, git: storeUntil(git, signal) }),
    log,
    clock,
  };
  return {
    database,
    services,
    app,
    worker,
    async [Symbol.asyncDispose]() {
      await app.close();
      outbound.close();
      ownServers.close();
      await git[Symbol.asyncDispose]();
      await locks.close();
      await pools.close();
    },
  };
}

/** The public part of the SSH settings. */
const published = (ssh: SshSettings): Services['ssh'] => ({
  host: ssh.host,
  hostKeys: ssh.hostKeys.map(({ key, fingerprint }) => ({ key, fingerprint })),
  get port() {
    return ssh.port;
  },
});

/** The address of websites. */
const addressOf = (pages: PagesSettings, { tls, url }: Pick<Settings, 'tls' | 'url'>): Services['pages'] => ({
  origin: pages.origin,
  isSecure: tls !== undefined,
  server: url === undefined ? undefined : linksOf(url).html,
  get port() {
    return pages.port;
  },
});
