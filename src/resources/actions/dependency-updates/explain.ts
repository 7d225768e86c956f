// What the dependency bot does in a repository, and why not more. Nothing is stored and nothing begins.
import type { Db } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';
import { gather } from '#lib/collections.ts';
import { timestamp } from '#lib/time.ts';
import { loadPulls } from '#resources/collaboration/pulls/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { type ConfigRow, listSchedules, loadConfigs } from './config-store.ts';
import { listLatestUpdates, listOpenProposals, type UpdateRow } from './store.ts';

type Step = { readonly check: string; readonly passed: boolean | undefined; readonly because: string };

type UpdatesExplanation = { readonly steps: readonly Step[] };

/** Says which updates are looked for in a repository, what the last searches found, and what the configuration file lacks. */
export async function explainUpdates(
  db: Db,
  repository: RepositoryWithOwner,
  { advisories }: Pick<Services, 'advisories'>,
): Promise<UpdatesExplanation> {
  const { id } = repository;
  const [configs, schedules, updates, proposals] = await Promise.all([
    loadConfigs(db, [id]),
    listSchedules(db, id),
    listLatestUpdates(db, id),
    listOpenProposals(db, id),
  ]);
  const config = configs.get(id);
  const times = new Map(schedules.map(({ entry, next_at }) => [entry, next_at]));
  const pulls = await loadPulls(db, gather(proposals, 'issue_id'));
  return {
    steps: [
      securityStep(repository),
      ...(advisories === undefined ? [withoutAdvisories] : []),
      ...configSteps(config),
      ...(config?.config?.updates ?? []).map(({ ecosystem, directories, version }, at): Step => {
        const next = times.get(at);
        return {
          check: `version updates of ${ecosystem} in ${directories.join(', ')}`,
          passed: version.limit > 0 && next != null,
          because:
            version.limit === 0 ? 'their limit is 0' : next ? `looked for from ${timestamp(next)}` : 'they have no next time',
        };
      }),
      ...updates.map(updateStep),
      ...proposals.map(({ issue_id, dependencies, branch }): Step => {
        const names = dependencies.map(({ name, to }) => `${name} ${to}`).join(', ');
        return { check: `#${pulls.get(issue_id)?.number ?? '?'}`, passed: true, because: `proposes ${names} (${branch})` };
      }),
    ],
  };
}

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
