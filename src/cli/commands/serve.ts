import { Command } from '@commander-js/extra-typings';
import { openDatabase } from '#database/connect.ts';
import { connectionsEach } from '#database/server.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import { linksOf, sshUrl } from '#endpoint/links.ts';
import { originFor, siteUrl } from '#endpoint/pages-address.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { openGitStore } from '#git/store.ts';
import { Refusal } from '#lib/refusal.ts';
import { StartupError } from '#lib/startup-error.ts';
import { firstStartMinutes } from '#resources/platform/oauth/first-start-minutes.ts';
import type { PagesSettings, Settings } from '#server/hearth.ts';
import { type ClusterPart, clusterPart } from '../cluster-part.ts';
import { configWithSources, withSettings } from '../command.ts';
import { getSecretKey, openDataFolder } from '../data-folder.ts';
import { type PortsOff, turnOffTakenDefaults } from '../default-ports.ts';
import { type Installation, logOf, openInstallation, settingsFor, sshSettingsFor } from '../installation.ts';
import { loadLimitOverrides } from '../limit-settings.ts';
import { cookieProblemOf, plainHttpProblemOf } from '../pages-host.ts';
import type { Serving } from '../serving.ts';
import { type Config, settingNames } from '../settings.ts';
import { startUnlessStopped, stopSignal, withinDrainTime } from '../stop-signal.ts';

export const serveCommand = withSettings(new Command('serve'), settingNames)
  .description('Start the server. Unless DATABASE_URL is set, it starts the embedded PostgreSQL too.')
  .addHelpText(
    'after',
    '\nExample:\n  hearth serve --port 8080 --data /var/lib/hearth\n\n' +
      '`hearth config` shows every setting, also those without a flag.',
  )
  .action(async (_flags, command) => {
    const { config, sources } = configWithSources(command);
    const cluster = clusterPart(process.env);
    if (cluster) return serveInCluster({ ...config, ...cluster.off }, cluster);
    const { off, warnings } = await turnOffTakenDefaults(config, sources);
    await serve({ ...config, ...off }, { off, warnings });
  });

async function serve(config: Config, { off, warnings }: Ports): Promise<void> {
  const stopped = stopSignal();
  const { installation, serving, firstStart } = await startUnlessStopped(start(config, { off, warnings }), stopped);
  printGreeting(config, serving, installation.takenOver);
  if (firstStart !== undefined) printFirstStart(config.url ?? serving.url, firstStart);
  const { log } = installation.settings;
  log.info({ signal: await stopped }, 'stopping');
  await withinDrainTime(serving.stop, installation.close);
  log.info('stopped');
}

type Ports = { off: PortsOff; warnings: string[] };

/** `firstStart`: the path of the page that makes the first administrator; undefined if there are users. */
type Started = { installation: Installation; serving: Serving; firstStart: string | undefined };

async function start(config: Config, { off, warnings }: Ports): Promise<Started> {
  // The server's modules are loaded while PostgreSQL starts, and not before: loading them blocks this process.
  const { promise: isAwaited, resolve: onDatabaseAwaited } = Promise.withResolvers<void>();
  const opening = openInstallation(config, 'server', { onDatabaseAwaited });
  const [installation, { serveHere }] = await Promise.all([opening, isAwaited.then(() => import('../serving.ts'))]);
  const { log } = installation.settings;
  for (const warning of [...warnings, plainHttpProblemOf(config)]) if (warning) log.warn(warning);
  const aboutWebsites = cookieProblemOf(config);
  const isTrial = config.url === undefined && config.pagesUrl === undefined;
  if (aboutWebsites !== undefined) log[isTrial ? 'info' : 'warn'](aboutWebsites);
  try {
    const settings = await withConnections(config, installation);
    const firstStart = await prepareAccounts(config, installation);
    const serving = await (config.workers > 1
      ? (await import('../cluster.ts')).serveByProcesses(config, settings, off)
      : serveHere(config, settings, { jobs: config.jobs }));
    return { installation, serving, firstStart };
  } catch (error) {
    await installation.close();
    throw error;
  }
}

/** The settings with the number of connections that PostgreSQL allows for each process. */
async function withConnections({ connections, workers, jobs }: Config, { address, settings }: Installation): Promise<Settings> {
  const database = openDatabase(address, { max: 1 });
  const processes = workers > 1 && jobs ? workers + 1 : workers;
  const { each, limit } = await connectionsEach(database.db, { requested: connections, processes }).finally(() =>
    database.close(),
  );
  if (each < connections) settings.log.warn(`${limit}: each process has ${each} connections instead of ${connections}`);
  return { ...settings, connections: each };
}

/**
 * Sets up the accounts that the settings name. A server without users gets the address of its first start instead.
 * @returns the path of the first start, if there is one
 */
async function prepareAccounts(config: Config, { address, settings }: Installation): Promise<string | undefined> {
  const { adminToken, adminLogin: login, adminPassword: password } = config;
  const [{ ensureAdminToken }, { ensureFirstAdministrator, offerFirstStart }] = await Promise.all([
    import('#resources/identity/tokens/index.ts'),
    import('#resources/platform/oauth/index.ts'),
  ]);
  if ((login === undefined) !== (password === undefined))
    throw new StartupError('HEARTH_ADMIN_LOGIN and HEARTH_ADMIN_PASSWORD belong together');
  const database = openDatabase(address, { max: 1 });
  try {
    await using git = await openGitStore({ root: settings.repositories, env: settings.env });
    const now = new Date();
    const services = { url: settings.url, ssh: undefined, git };
    const { db } = database;
    const change = <T>(work: (scope: WriteScope) => Promise<T>): Promise<T> => changeWithoutRequest({ db, services, now }, work);
    if (login !== undefined && password !== undefined)
      await change((scope) => ensureFirstAdministrator(scope, { login, password })).catch(refuseAdministrator);
    if (adminToken !== undefined) await change((scope) => ensureAdminToken(scope, adminToken, now));
    return await offerFirstStart(db, now);
  } finally {
    await database.close();
  }
}

/** Says in one line what is wrong with the settings of the first administrator. */
function refuseAdministrator(error: unknown): never {
  if (!(error instanceof Refusal)) throw error;
  const problem = error.errors[0]?.message ?? error.message;
  throw new StartupError(`HEARTH_ADMIN_LOGIN and HEARTH_ADMIN_PASSWORD make no administrator: ${problem}`);
}

async function serveInCluster(config: Config, { address, connections, installation }: ClusterPart): Promise<void> {
  const stopped = stopSignal();
  const { serveForCluster } = await import('../cluster.ts');
  const folder = await openDataFolder(config.data);
  const secretKey = config.secretKey ?? (await getSecretKey(folder));
  const resourceLimits = await loadLimitOverrides(config.limits);
  const given = { address, repositories: folder.repositories, installation, secretKey, resourceLimits, log: logOf(config) };
  const settings = { ...settingsFor(config, given), connections, ssh: await sshSettingsFor(config, folder) };
  const serving = await serveForCluster(config, settings);
  await stopped;
  await withinDrainTime(serving.stop);
  process.disconnect?.();
}

const placeholder = { owner: { login: 'OWNER' }, name: 'NAME' };

/** The address of websites, with the owner as a subdomain or a folder. */
function websitesOf(address: string, pages: PagesSettings, { tlsCert }: Config): string {
  const at = { origin: pages.origin, port: pages.port, isSecure: tlsCert !== undefined };
  return siteUrl(originFor({ html: address }, at), at, { owner: { login: 'OWNER' }, name: 'NAME', https_enforced: false });
}

/** Prints to standard error, since the log is on standard output. */
function printGreeting(config: Config, { url, ssh, pages }: Serving, takenOver: boolean): void {
  const address = config.url ?? url;
  const lines = [
    `Hearth listens on ${address}`,
    `  API        ${address}/api/v3    (described at ${address}/docs)`,
    ...(ssh ? [`  Git        ${address}/OWNER/NAME.git and ${sshUrl(linksOf(address, ssh), placeholder)}`] : []),
    ...(pages ? [`  websites   ${websitesOf(address, pages, config)}`] : []),
    `  data       ${config.data}${takenOver ? '    (its database was still running and was taken over)' : ''}`,
  ];
  if (process.stderr.isTTY || config.log === 'silent') process.stderr.write(`${lines.join('\n')}\n`);
  else process.stderr.write(`${lines[0]}\n`);
}

/** Prints the address of the first start. Who reads the standard error of the server is its operator. */
function printFirstStart(address: string, path: string): void {
  const url = new URL(path, address);
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = 'localhost';
  process.stderr.write(
    `This server has no users. Open this address within ${firstStartMinutes} minutes to make its first administrator:\n` +
      `  ${url}\n`,
  );
}
