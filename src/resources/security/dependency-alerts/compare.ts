// Compares the dependencies of a repository with the advisories, in the background: opens, closes and reopens alerts.

import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordAll } from '#events/record.ts';
import { subscription } from '#events/subscription.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import { grouped, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { findGraph, listUnreadPaths } from '#resources/security/dependency-graph/index.ts';
import { alertLimits } from './limits.ts';
import {
  type AlertRow,
  type Candidate,
  insertAlerts,
  type KnownAlert,
  listCandidates,
  listKnownForUpdate,
  listVulnerabilitiesOf,
  type NewAlert,
  type ReviewedVulnerability,
  updateAlert,
} from './store.ts';
import { rangeText, type VersionCheck, versionCheck } from './versions.ts';

type Payload = { repository: Id<'repositories'>; actor?: Id<'accounts'> | undefined };

/** Queues comparisons. Waiting comparisons of the same repository are merged into one. */
export const enqueueComparing = (tx: Tx, repositories: readonly Id<'repositories'>[], runAt: Date): Promise<void> =>
  enqueueAll(
    tx,
    compareDependencies,
    repositories.map((repository) => ({
      payload: { repository },
      options: { queue: 'dependency-alerts', key: `dependency-alerts:${repository}`, runAt },
    })),
  );

/** Compares newly read dependencies, and all dependencies of repositories whose alerts were enabled. */
export const compareRead = subscription<'dependency_graph.read' | 'repository.security_changed', JobContext>({
  name: 'dependency-alerts.compare-read',
  on: ['dependency_graph.read', 'repository.security_changed'],
  attempts: 25,
  queue: () => 'dependency-alerts',
  key: ({ repository }) => `dependency-alerts.read:${repository}`,
  async run({ repository, actor }, { change, now }: JobContext) {
    if (repository !== undefined) await change((scope) => compareRepository(scope, { repository, actor }, now));
  },
});

export const compareDependencies = job<Payload, JobContext>({
  name: 'dependency-alerts.compare',
  attempts: 10,
  async run(payload, { change, now }: JobContext) {
    await change((scope) => compareRepository(scope, payload, now));
  },
});

type Key = Pick<AlertRow, 'manifest_path' | 'ecosystem' | 'package' | 'advisory_id'>;
const keyOf = ({ manifest_path, ecosystem, package: name, advisory_id }: Key): string =>
  JSON.stringify([manifest_path, ecosystem, name, advisory_id]);

type Found = Pick<NewAlert, 'scope' | 'relationship' | 'vulnerable_version_range' | 'first_patched_version'> & Key;

type Vulnerable = {
  readonly found: ReadonlyMap<string, Found>;
  /** Whether some weren't compared, since there are too many. */
  readonly isPartial: boolean;
};

/** The vulnerable dependencies: one for each advisory, package and file, regardless of the number of versions in the file. */
async function findVulnerable(tx: Tx, repository: Id<'repositories'>): Promise<Vulnerable> {
  const candidates = await listCandidates(tx, repository);
  const ranges = await listVulnerabilitiesOf(tx, repository, [...keyed(candidates, packageKey).values()]);
  const about = grouped(ranges, packageKey);
  const check = versionCheck();
  const found = new Map<string, Found>();
  for (const some of grouped(candidates, (one) => JSON.stringify([one.manifest_path, packageKey(one)])).values())
    for (const range of (some[0] && about.get(packageKey(some[0]))) ?? []) {
      const one = await firstVulnerable(check, some, range);
      if (check.isExhausted) return { found, isPartial: true };
      const alert = one && foundOf(one, range);
      if (alert && !found.has(keyOf(alert))) found.set(keyOf(alert), alert);
    }
  return { found, isPartial: ranges.length > fixedValue(alertLimits.ranges) };
}

async function firstVulnerable(
  check: VersionCheck,
  candidates: readonly Candidate[],
  range: ReviewedVulnerability,
): Promise<Candidate | undefined> {
  for (const one of candidates) {
    if (await check.isVulnerable(range.ecosystem, one.version, range)) return one;
    if (check.isExhausted) return undefined;
  }
  return undefined;
}

const foundOf = ({ manifest_path, scope, relationship }: Candidate, range: ReviewedVulnerability): Found => ({
  manifest_path,
  ecosystem: range.ecosystem,
  package: range.package,
  advisory_id: range.advisory_id,
  scope,
  relationship,
  vulnerable_version_range: rangeText(range),
  first_patched_version: range.fixed,
});

const packageKey = ({ ecosystem, package: name }: { ecosystem: string; package: string }): string => `${ecosystem} ${name}`;

const closed = {
  dismissed_at: null,
  dismissed_by: null,
  dismissed_reason: null,
  dismissed_comment: null,
  fixed_at: null,
  auto_dismissed_at: null,
};
const opened = { state: 'open', ...closed } as const;

type Kind = 'created' | 'fixed' | 'reintroduced' | 'auto_dismissed' | 'auto_reopened';

/** Updates the alerts of a repository from its dependencies and the advisories. Repeating it changes nothing. */
async function compareRepository(scope: WriteScope, { repository, actor }: Payload, now: Date): Promise<void> {
  const repo = await lockRepository(scope.tx, repository);
  if (!repo?.vulnerability_alerts) return;
  const [graph, known, { found, isPartial }, unread] = await Promise.all([
    findGraph(scope.tx, repository),
    listKnownForUpdate(scope.tx, repository),
    findVulnerable(scope.tx, repository),
    listUnreadPaths(scope.tx, repository),
  ]);
  // Before a repository was read, no alert is known to be fixed.
  if (!graph) return;
  const unreadable = new Set(unread);
  const happened: { kind: Kind; alert: AlertRow['id'] }[] = [];
  for (const row of known) {
    const { kind, ...change } = changeOf(row, found.get(keyOf(row)), {
      isUnread: isPartial || unreadable.has(row.manifest_path),
      now,
    });
    if (Object.keys(change).length > 0) await updateAlert(scope.tx, row.id, { ...change, updated_at: now });
    if (kind !== undefined) happened.push({ kind, alert: row.id });
  }
  const before = keyed(known, keyOf);
  const last = known.reduce((most, { number }) => Math.max(most, number), 0);
  const fresh = [...found].filter(([key]) => !before.has(key)).map(([, one]) => one);
  const wanted = fresh.slice(0, Math.max(0, fixedValue(alertLimits.alerts) - last));
  for (let from = 0; from < wanted.length; from += rowsPerBatch) {
    const rows = wanted.slice(from, from + rowsPerBatch).map((one, at) => ({
      ...one,
      ...opened,
      repository_id: repository,
      number: last + from + at + 1,
      created_at: now,
      updated_at: now,
    }));
    for (const { id } of await insertAlerts(scope.tx, rows)) happened.push({ kind: 'created', alert: id });
  }
  const about = { owner: repo.owner_id, repository, actor, at: now };
  await recordAll(
    scope.tx,
    happened.map(({ kind, alert }) => ({ ...about, kind: `dependency_alert.${kind}` as const, data: { alert } })),
  );
  if (happened.some(({ kind }) => kind !== 'fixed' && kind !== 'auto_dismissed'))
    await record(scope.tx, { ...about, kind: 'dependency_alerts.found', data: {} });
}

const rowsPerBatch = 1_000;

/** The new state of an alert. If a file can no longer be read, the alert isn't known to be fixed. */
function changeOf(
  row: KnownAlert,
  found: Found | undefined,
  { isUnread, now }: { isUnread: boolean; now: Date },
): { kind?: Kind } & Partial<NewAlert> {
  if (!found) {
    if (row.state !== 'open' || (isUnread && !row.is_withdrawn)) return {};
    return row.is_withdrawn
      ? { kind: 'auto_dismissed', state: 'auto_dismissed', auto_dismissed_at: now }
      : { kind: 'fixed', state: 'fixed', fixed_at: now };
  }
  const { scope, relationship, vulnerable_version_range, first_patched_version } = found;
  const shown = { scope, relationship, vulnerable_version_range, first_patched_version };
  const isSame = Object.entries(shown).every(([name, value]) => row[name as keyof typeof shown] === value);
  const changed = isSame ? {} : shown;
  if (row.state === 'fixed') return { kind: 'reintroduced', ...changed, ...opened };
  if (row.state === 'auto_dismissed') return { kind: 'auto_reopened', ...changed, ...opened };
  return changed;
}
