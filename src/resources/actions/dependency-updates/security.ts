// Updates that mend vulnerabilities: for the open alerts of repositories that have security updates turned on.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { grouped } from '#lib/collections.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { highestVersion, listMendable, type MendableAlert } from '#resources/security/dependency-alerts/index.ts';
import type { UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import { botActionIn } from './bot.ts';
import { loadConfigs } from './config-store.ts';
import { closeProposal } from './proposals.ts';
import { queueOf } from './queue.ts';
import { openUpdates } from './requests.ts';
import { settingsFor } from './settings.ts';
import { startUpdate, type WantedUpdate } from './start.ts';
import { listOpenProposals, type Target } from './store.ts';
import { closingTexts } from './texts.ts';

/** The ecosystems of alerts, by their names in configuration files. */
const ecosystemsOfAlerts = { npm: 'npm', pip: 'pip', go: 'gomod' } as const;
type AlertEcosystem = keyof typeof ecosystemsOfAlerts;

export const isUpdated = (ecosystem: string): ecosystem is AlertEcosystem => Object.hasOwn(ecosystemsOfAlerts, ecosystem);

const changes = [
  'dependency_alert.created',
  'dependency_alert.reintroduced',
  'dependency_alert.reopened',
  'dependency_alert.auto_reopened',
  'dependency_alert.fixed',
  'dependency_alert.dismissed',
  'dependency_alert.auto_dismissed',
  'repository.security_changed',
] as const;

/** Looks for security updates when alerts or the settings of a repository have changed. */
export const followAlerts = subscription<(typeof changes)[number], JobContext>({
  name: 'dependency-updates.follow-alerts',
  on: changes,
  attempts: 10,
  queue: ({ repository }) => queueOf(repository),
  key: ({ repository }) => `dependency-updates.follow-alerts:${repository}`,
  async run({ repository: id }, context) {
    const repository = id && (await loadNamedRepositories(context.db, [id])).get(id);
    if (repository) await updateVulnerable(context, repository);
  },
});

/** Whether the bot proposes updates for the alerts of a repository. */
const hasSecurityUpdates = (repository: RepositoryWithOwner): boolean =>
  repository.vulnerability_alerts && repository.dependency_bot_security_updates && !repository.archived;

/** Starts searches for the open alerts of a repository, and closes the pull requests that nothing needs any more. */
export async function updateVulnerable(
  context: JobContext,
  repository: RepositoryWithOwner,
  { unlessSame }: Pick<WantedUpdate, 'unlessSame'> = {},
): Promise<void> {
  const alerts = (await listMendable(context.db, repository.id)).filter(({ ecosystem }) => isUpdated(ecosystem));
  await closeUnneeded(context, repository, alerts);
  if (!hasSecurityUpdates(repository) || alerts.length === 0) return;
  const targets = grouped(alerts, ({ ecosystem, manifest_path }) => JSON.stringify([ecosystem, directoryOf(manifest_path)]));
  const [configs, proposals] = await Promise.all([
    loadConfigs(context.db, [repository.id]),
    listOpenProposals(context.db, repository.id),
  ]);
  const config = configs.get(repository.id)?.config ?? null;
  for (const some of targets.values()) {
    const request = securityRequest(some);
    if (!request) continue;
    const settings = await settingsFor(config, request);
    await startUpdate(context, {
      repository,
      targetBranch: repository.default_branch,
      request: { ...request, ...(settings.securityGroups.length > 0 ? { security_groups: [...settings.securityGroups] } : {}) },
      open: openUpdates(proposals, request),
      config,
      options: settings.options,
      ...(unlessSame ? { unlessSame } : {}),
    });
  }
}

/** What to look for, for alerts of one ecosystem in one directory. */
export function securityRequest(alerts: readonly MendableAlert[]): Omit<UpdateRequest, 'open'> | undefined {
  const [first] = alerts;
  const ecosystem = first?.ecosystem;
  if (!first || ecosystem === undefined || !isUpdated(ecosystem)) return undefined;
  const packages = grouped(alerts, (alert) => alert.package);
  return {
    ecosystem: ecosystemsOfAlerts[ecosystem],
    directory: directoryOf(first.manifest_path),
    kind: 'security',
    security: [...packages]
      .map(([name, about]) => ({
        name,
        patched: highestVersion(
          ecosystem,
          about.map(({ first_patched_version }) => first_patched_version),
        ),
        vulnerable: about.map(({ vulnerable_version_range }) => vulnerable_version_range),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .slice(0, maxPackages),
  };
}

/** One search is for so many packages at most. Others follow when some of these are mended. */
const maxPackages = 1_000;

/** The folder of a manifest, as configuration files write it. */
export const directoryOf = (path: string): string =>
  `/${path
    .split('/')
    .slice(0, -1)
    .filter((part) => part !== '')
    .join('/')}`;

/** Closes pull requests for alerts of which none is open any more. */
async function closeUnneeded(
  context: JobContext,
  repository: RepositoryWithOwner,
  alerts: readonly MendableAlert[],
): Promise<void> {
  const proposals = (await listOpenProposals(context.db, repository.id)).filter(({ kind }) => kind === 'security');
  if (proposals.length === 0) return;
  const wanted = new Set(
    alerts.map((alert) => keyOf(ecosystemOf(alert.ecosystem), directoryOf(alert.manifest_path), alert.package)),
  );
  const unneeded = proposals.filter(
    ({ ecosystem, directory, dependencies }) => !dependencies.some(({ name }) => wanted.has(keyOf(ecosystem, directory, name))),
  );
  const action = unneeded.length > 0 ? await botActionIn(context.scope, repository) : undefined;
  if (action) for (const row of unneeded) await closeProposal(context, action, row, closingTexts.done);
}

/** The ecosystem of an alert, by its name in configuration files; undefined if the bot has no updates for it. */
export const ecosystemOf = (ecosystem: string): Target['ecosystem'] | undefined =>
  isUpdated(ecosystem) ? ecosystemsOfAlerts[ecosystem] : undefined;

const keyOf = (ecosystem: string | undefined, directory: string, name: string): string =>
  JSON.stringify([ecosystem, directory, name.toLowerCase()]);
