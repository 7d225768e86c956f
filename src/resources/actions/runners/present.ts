import type { Org } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import type { GroupRow } from './group-store.ts';
import { runnerLimits } from './limits.ts';
import { kindLabels } from './rules.ts';
import type { Runner, RunnerGroup, RunnerLabel } from './schemas.ts';
import { listBusy, type RunnerRow } from './store.ts';

const offlineAfter = fixedValue(runnerLimits.offline);

export async function presentRunners({ db, now }: Scope, rows: readonly RunnerRow[]): Promise<Runner[]> {
  const busy = new Set(await listBusy(db, gather(rows, 'id')));
  // A runner whose job prints nothing may be silent for longer. If it has gone, its job fails.
  const isOnline = ({ id, seen_at }: RunnerRow) =>
    busy.has(id) || (seen_at !== null && now.getTime() - seen_at.getTime() <= offlineAfter);
  return rows.map((row) => ({
    id: row.id,
    ...(row.runner_group_id === null ? {} : { runner_group_id: row.runner_group_id }),
    name: row.name,
    os: row.os,
    status: isOnline(row) ? 'online' : 'offline',
    busy: busy.has(row.id),
    ephemeral: row.is_ephemeral,
    version: row.version,
    labels: presentLabels(row),
  }));
}

/** The labels of a runner: default labels, labels that it reports, and custom labels. */
export function presentLabels(row: Pick<RunnerRow, 'os' | 'labels' | 'custom_labels' | 'hosted_runner_id'>): RunnerLabel[] {
  const own = new Set([...kindLabels(row), ...row.labels]);
  const custom = row.custom_labels.filter((name) => !own.has(name));
  return [
    ...[...own].map((name) => ({ name, type: 'read-only' as const })),
    ...custom.map((name) => ({ name, type: 'custom' as const })),
  ];
}

export function presentGroup(links: Pick<Links, 'api'>, org: Org, row: GroupRow): RunnerGroup {
  const url = path(`${links.api}/orgs`, org.login, 'actions', 'runner-groups', String(row.id));
  const { mode } = row;
  return {
    id: row.id,
    name: row.name,
    visibility: mode === 'selected' || mode === 'private' ? mode : 'all',
    default: row.is_default,
    ...(mode === 'selected' ? { selected_repositories_url: `${url}/repositories` } : {}),
    runners_url: `${url}/runners`,
    hosted_runners_url: `${url}/hosted-runners`,
    // Groups of enterprises, which organizations inherit, don't exist here.
    inherited: false,
    workflow_restrictions_read_only: false,
    allows_public_repositories: row.allows_public_repositories,
    restricted_to_workflows: row.restricted_to_workflows,
    selected_workflows: row.selected_workflows,
  };
}
