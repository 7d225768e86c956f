// What the dependency bot does in a repository, and why not more. Nothing is stored and nothing begins.
import type { Db } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';
import { gather, keyed, unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { timestamp } from '#lib/time.ts';
import { listRegistriesForServer } from '#resources/actions/private-registries/index.ts';
import { loadPulls } from '#resources/collaboration/pulls/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { countOpenAlerts } from '#resources/security/dependency-alerts/index.ts';
import { botLimits, countReadableByBot, type UpdateEntry, updatedEcosystems } from '#resources/security/dependency-bot/index.ts';
import { type ConfigRow, listSchedules, loadConfigs } from './config-store.ts';
import { isUpdated } from './security.ts';
import { registryTypeOf } from './settings.ts';
import { headOf } from './start.ts';
import { listLatestUpdates, listOpenProposals, type UpdateRow } from './store.ts';

type Step = { readonly check: string; readonly passed: boolean | undefined; readonly because: string };

type UpdatesExplanation = { readonly steps: readonly Step[] };

/** Says which updates are looked for in a repository, what the last searches found, and what the configuration file lacks. */
export async function explainUpdates(
  db: Db,
  repository: RepositoryWithOwner,
  { advisories, secrets, git }: Pick<Services, 'advisories' | 'secrets' | 'git'>,
): Promise<UpdatesExplanation> {
  const { id } = repository;
  const [configs, schedules, updates, proposals, readable, refused, alerts] = await Promise.all([
    loadConfigs(db, [id]),
    listSchedules(db, id),
    listLatestUpdates(db, id),
    listOpenProposals(db, id),
    countReadableByBot(db, repository.owner_id),
    refusedRegistries(db, secrets, repository),
    countOpenAlerts(db, id),
  ]);
  const config = configs.get(id);
  const times = keyed(schedules, ({ entry }) => entry);
  const entries = config?.config?.updates ?? [];
  const missing = await missingBranches(git, repository, entries);
  const pulls = await loadPulls(db, gather(proposals, 'issue_id'));
  return {
    steps: [
      securityStep(repository),
      ...alerts.flatMap(unmendableStep),
      ...(advisories === undefined ? [withoutAdvisories] : []),
      ...(readable > maxReadable ? [tooManyReadable(readable)] : []),
      ...refused.map(({ name, reason }): Step => {
        return { check: 'private registry', passed: undefined, because: `searches get no ${name}: ${reason}` };
      }),
      ...configSteps(config),
      ...entries.map((entry, at) => entryStep(entry, times.get(at), missing)),
      ...updates.map(updateStep),
      ...proposals.map(({ issue_id, dependencies, branch }): Step => {
        const names = dependencies.map(({ name, to }) => `${name} ${to}`).join(', ');
        return { check: `#${pulls.get(issue_id)?.number ?? '?'}`, passed: true, because: `proposes ${names} (${branch})` };
      }),
    ],
  };
}

/** The registries that searches don't get. */
const refusedRegistries = async (db: Db, secrets: Services['secrets'], repository: RepositoryWithOwner) =>
  (
    await Promise.all(updatedEcosystems.map((one) => listRegistriesForServer(db, secrets, repository, registryTypeOf(one))))
  ).flatMap(({ refused }) => refused);

/** The branches that entries name, and that the repository doesn't have. */
async function missingBranches(git: Services['git'], repository: RepositoryWithOwner, entries: readonly UpdateEntry[]) {
  const names = unique(gather(entries, 'targetBranch'));
  const heads = await Promise.all(names.map((name) => headOf({ git }, repository, name)));
  return new Set(names.filter((_, at) => heads[at] === undefined));
}

function entryStep(
  { ecosystem, directories, version, targetBranch }: UpdateEntry,
  schedule: { readonly next_at: Date | null; readonly waiting: readonly string[] } | undefined,
  missing: ReadonlySet<string>,
): Step {
  const { next_at: next, waiting = [] } = schedule ?? {};
  const rest = waiting.length === 0 ? '' : `; ${waiting.length} of its directories wait until other searches have ended`;
  const problem =
    version.limit === 0
      ? 'their limit is 0'
      : targetBranch !== undefined && missing.has(targetBranch)
        ? `there is no branch ${targetBranch}`
        : next
          ? undefined
          : 'they have no next time';
  return {
    check: `version updates of ${ecosystem} in ${directories.join(', ')}`,
    passed: problem === undefined,
    because: problem ?? `looked for from ${next ? timestamp(next) : ''}${rest}`,
  };
}

const maxReadable = fixedValue(botLimits.readable);

const tooManyReadable = (count: number): Step => ({
  check: 'further repositories',
  passed: false,
  because: `the organization lets the bot read ${count}; its jobs read the ${maxReadable} of them that were created first`,
});

const withoutAdvisories: Step = {
  check: 'advisories',
  passed: false,
  because: 'the server has no folder of advisories (HEARTH_ADVISORIES), so that only those of its own repositories raise alerts',
};

function securityStep({ archived, vulnerability_alerts, dependency_bot_security_updates }: RepositoryWithOwner): Step {
  const reason = archived
    ? 'the repository is archived'
    : !vulnerability_alerts
      ? 'vulnerability alerts are off'
      : !dependency_bot_security_updates
        ? 'automated security fixes are off'
        : undefined;
  return { check: 'security updates', passed: reason === undefined, because: reason ?? 'they are on' };
}

/** Alerts for which the bot proposes nothing. */
function unmendableStep({ ecosystem, isMendable, count }: Awaited<ReturnType<typeof countOpenAlerts>>[number]): Step[] {
  const check = `${count} open alert${count === 1 ? '' : 's'} of ${ecosystem}`;
  if (!isUpdated(ecosystem))
    return [{ check, passed: false, because: `the bot updates ${updatedEcosystems.join(', ')}, and not ${ecosystem}` }];
  return isMendable ? [] : [{ check, passed: false, because: 'no version mends them yet' }];
}

function configSteps(config: ConfigRow | undefined): Step[] {
  const check = 'configuration file';
  if (!config) return [{ check, passed: undefined, because: 'the default branch has none' }];
  const problems = config.problems.map(({ message, line }) => `line ${line}: ${message}`);
  if (problems.length === 0) return [{ check, passed: true, because: config.path }];
  return problems.map((because) => ({ check, passed: false, because: `${config.path}, ${because}` }));
}

function updateStep({ ecosystem, directory, kind, state, problem, created_at }: UpdateRow): Step {
  const results = {
    running: 'a job looks for them',
    done: problem ?? 'all that was found is proposed',
    failed: problem ?? 'it failed',
  };
  return {
    check: `last search for ${kind} updates of ${ecosystem} in ${directory}`,
    passed: state === 'running' ? undefined : problem === null,
    because: `${timestamp(created_at)}: ${results[state].replaceAll('\n', '; ')}`,
  };
}
