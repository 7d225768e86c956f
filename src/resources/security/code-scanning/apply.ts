// Applies a tool's run: creates and reopens alerts, and closes those that the tool no longer finds.

import type { RepositoryRow } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordEach } from '#events/record.ts';
import { gather, grouped, keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { closeInstances, type KnownInstance, listInstancesOn, openInstances, removeInstances } from './instance-store.ts';
import { codeScanningLimits } from './limits.ts';
import type { ReadResult, ReadRun } from './results.ts';
import {
  type FoundAlert,
  findLastNumber,
  insertAlerts,
  type KnownAlert,
  putRules,
  removeUnseenAlerts,
  renewAlerts,
  touchAlerts,
} from './store.ts';
import type { AnalysisSet } from './upload-store.ts';

type Alert = Id<'code_scanning_alerts'>;
type Analysis = Id<'code_scanning_analyses'>;

/** Where a run is applied, and for whom. The caller has locked the repository. */
type Applying = {
  readonly repo: Pick<RepositoryRow, 'id' | 'owner_id'>;
  readonly ref: string;
  readonly commit: string;
  readonly actor: Id<'accounts'> | undefined;
  readonly now: Date;
  readonly analysis: Analysis;
  /** The deleted analysis, if its deletion makes this run the latest again. Then nobody is notified. */
  readonly undoing?: Analysis;
};

/** A result, and what identifies its alert. */
export type NamedResult = { readonly result: ReadResult; readonly fingerprint: string };

/** Applies a run, and returns the number of the alert of each of its results. */
export async function applyRun(
  scope: WriteScope,
  applying: Applying,
  run: ReadRun,
  named: readonly NamedResult[],
): Promise<number[]> {
  const { repo, ref, commit, analysis, now, undoing } = applying;
  const set: AnalysisSet = { repository_id: repo.id, ref, tool_name: run.tool, category: run.category };
  const distinct = firstOfEach(named);
  const { alerts, made } = await putAlerts(scope, applying, run, distinct);
  const locations = distinct.flatMap(({ result, fingerprint }) => {
    const alert = alerts.get(fingerprint);
    return alert ? [locationOf(alert.id, result)] : [];
  });
  // Instances that a deleted analysis had added to the ref are removed; instances that it had only kept open are closed.
  if (undoing) await removeInstances(scope.tx, set, undoing);
  const found = new Set(gather(locations, 'alert_id'));
  const before = await listInstancesOn(scope.tx, set, [...found]);
  const changes = changesOf(before, found, { made, category: run.category });
  await openInstances(scope.tx, { ...set, analysis, commit, now }, locations);
  await closeInstances(scope.tx, { ...set, now }, changes.gone);
  await touchAlerts(scope.tx, [...changes.fixed, ...changes.reopened], now);
  if (undoing) await removeUnseenAlerts(scope.tx, { repository: repo.id, tool: run.tool });
  else await recordChanges(scope, applying, { ...changes, made });
  const numbers = new Array<number>(run.positions).fill(0);
  for (const { result, fingerprint } of named) numbers[result.position] = alerts.get(fingerprint)?.number ?? 0;
  return numbers;
}

/** The first result of each alert. Others belong to the same alert. */
function firstOfEach(named: readonly NamedResult[]): NamedResult[] {
  const seen = new Set<string>();
  return named.filter(({ fingerprint }) => !seen.has(fingerprint) && seen.add(fingerprint));
}

async function putAlerts(scope: WriteScope, { repo, now }: Applying, run: ReadRun, distinct: readonly NamedResult[]) {
  const rules = unique(distinct.map(({ result }) => result.rule));
  const ids = await putRules(scope.tx, { repository: repo.id, tool: run.tool }, [...keyed(rules, ({ id }) => id).values()]);
  const found: FoundAlert[] = distinct.flatMap(({ result, fingerprint }) => {
    const rule_id = ids.get(result.rule.id);
    return rule_id === undefined ? [] : [{ fingerprint, rule_id, severity: result.severity }];
  });
  const tool = { repository: repo.id, tool: run.tool, version: run.toolVersion, guid: run.toolGuid };
  const known = await renewAlerts(scope.tx, tool, found);
  const alerts = keyed(known, ({ fingerprint }) => fingerprint);
  const unknown = found.filter(({ fingerprint }) => !alerts.has(fingerprint));
  const last = unknown.length === 0 ? 0 : await findLastNumber(scope.tx, repo.id);
  const room = Math.max(0, fixedValue(codeScanningLimits.alerts) - last);
  const made = await insertAlerts(scope.tx, { ...tool, last, now }, unknown.slice(0, room));
  for (const alert of made) alerts.set(alert.fingerprint, alert);
  return { alerts: alerts as ReadonlyMap<string, KnownAlert>, made: new Set(gather(made, 'id')) };
}

const locationOf = (alert: Alert, { path, startLine, endLine, startColumn, endColumn, message }: ReadResult) => ({
  alert_id: alert,
  path,
  start_line: startLine,
  end_line: endLine,
  start_column: startColumn,
  end_column: endColumn,
  message,
});

type Changes = {
  /** Open in this category, and no longer found. */
  readonly gone: readonly Alert[];
  /** Of these, the ones that aren't open in any other category. */
  readonly fixed: readonly Alert[];
  /** Closed on the ref until now. */
  readonly reopened: readonly Alert[];
  /** Known elsewhere, and new on the ref. */
  readonly appeared: readonly Alert[];
};

/** What a run that found some alerts changes on its ref, given the existing instances. */
function changesOf(
  before: readonly KnownInstance[],
  found: ReadonlySet<Alert>,
  { made, category }: { made: ReadonlySet<Alert>; category: string },
): Changes {
  const known = grouped(before, ({ alert_id }) => alert_id);
  const gone = before.filter((one) => one.is_open && one.category === category && !found.has(one.alert_id));
  const isOpenElsewhere = (alert: Alert): boolean =>
    (known.get(alert) ?? []).some((one) => one.is_open && one.category !== category);
  const seen = [...found].filter((alert) => !made.has(alert));
  return {
    gone: gone.map(({ alert_id }) => alert_id),
    fixed: gone.map(({ alert_id }) => alert_id).filter((alert) => !isOpenElsewhere(alert)),
    reopened: seen.filter((alert) => known.has(alert) && !known.get(alert)?.some(({ is_open }) => is_open)),
    appeared: seen.filter((alert) => !known.has(alert)),
  };
}

async function recordChanges(
  scope: WriteScope,
  { repo, ref, commit, actor, now }: Applying,
  { made, appeared, reopened, fixed }: Changes & { made: ReadonlySet<Alert> },
): Promise<void> {
  const isBranch = ref.startsWith('refs/heads/');
  const all = [
    ...[...made].map((alert) => ({ kind: 'code_scanning_alert.created' as const, alert })),
    ...(isBranch ? appeared : []).map((alert) => ({ kind: 'code_scanning_alert.appeared_in_branch' as const, alert })),
    ...reopened.map((alert) => ({ kind: 'code_scanning_alert.reopened' as const, alert })),
    ...fixed.map((alert) => ({ kind: 'code_scanning_alert.fixed' as const, alert })),
  ];
  await recordEach(scope.tx, all, ({ kind, alert }) => ({
    kind,
    owner: repo.owner_id,
    repository: repo.id,
    actor,
    at: now,
    data: { alert, ref, commit },
  }));
}
