import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { AnalysisSet } from './upload-store.ts';

type Alert = Id<'code_scanning_alerts'>;

export type InstanceRow = Selectable<DB['code_scanning_instances']>;

/** Where an alert is, or was: on some refs, or on all. */
export function listInstances(
  db: Db,
  alert: Alert,
  refs: readonly string[] | undefined,
  page: Page,
): Promise<Listed<InstanceRow>> {
  let query = db.selectFrom('code_scanning_instances').selectAll().where('alert_id', '=', alert);
  if (refs) query = query.where('ref', 'in', refs);
  return list(db, query.orderBy('id'), page);
}

export type KnownInstance = Pick<InstanceRow, 'alert_id' | 'category' | 'is_open'>;

/** A tool's open instances on a ref, and all instances of the given alerts there. */
export async function listInstancesOn(
  db: Db,
  { repository_id, ref, tool_name }: Omit<AnalysisSet, 'category'>,
  alerts: readonly Alert[],
): Promise<KnownInstance[]> {
  const { rows } = await sql<KnownInstance>`
    select i.alert_id, i.category, i.is_open from code_scanning_instances i join code_scanning_alerts a on a.id = i.alert_id
    where i.repository_id = ${repository_id} and i.ref = ${ref} and i.is_open and a.tool_name = ${tool_name}
    union all
    select i.alert_id, i.category, i.is_open from code_scanning_instances i
    where i.alert_id = any (${[...alerts]}::bigint[]) and i.ref = ${ref} and not i.is_open`.execute(db);
  return rows;
}

/** A location at which an analysis found an alert. */
type AlertLocation = Pick<
  InstanceRow,
  'alert_id' | 'path' | 'start_line' | 'end_line' | 'start_column' | 'end_column' | 'message'
>;

type Opening = { analysis: Id<'code_scanning_analyses'>; commit: string; now: Date };

/** Opens the instances of alerts on a ref that an analysis of a commit has found. */
export async function openInstances(
  tx: Tx,
  { repository_id, ref, category, analysis, commit, now }: Omit<AnalysisSet, 'tool_name'> & Opening,
  locations: readonly AlertLocation[],
): Promise<void> {
  if (locations.length === 0) return;
  await sql`
    insert into code_scanning_instances (alert_id, repository_id, ref, category, analysis_id, is_open, commit_sha, path,
      start_line, end_line, start_column, end_column, message, created_at, updated_at)
    select w.alert_id, ${repository_id}, ${ref}, ${category}, ${analysis}, true, ${commit}, w.path, w.start_line,
      w.end_line, w.start_column, w.end_column, w.message, ${now}, ${now}
    from jsonb_to_recordset(${JSON.stringify(locations)}::jsonb) as w (alert_id bigint, path text, start_line integer,
      end_line integer, start_column integer, end_column integer, message text)
    order by w.alert_id
    on conflict (alert_id, ref, category) do update set is_open = true, fixed_at = null, commit_sha = excluded.commit_sha,
      path = excluded.path, start_line = excluded.start_line, end_line = excluded.end_line, start_column = excluded.start_column,
      end_column = excluded.end_column, message = excluded.message, updated_at = excluded.updated_at`.execute(tx);
}

/** Closes the instances of alerts in a category on a ref that its latest analysis didn't find. */
export async function closeInstances(
  tx: Tx,
  { ref, category, now }: Pick<AnalysisSet, 'ref' | 'category'> & { now: Date },
  alerts: readonly Alert[],
): Promise<void> {
  if (alerts.length === 0) return;
  await sql`update code_scanning_instances set is_open = false, fixed_at = ${now}, updated_at = ${now}
    where alert_id = any (${[...alerts]}::bigint[]) and ref = ${ref} and category = ${category} and is_open`.execute(tx);
}

/** Removes the instances of a set of analyses, or only those that one of them had added. */
export async function removeInstances(
  tx: Tx,
  { repository_id, ref, tool_name, category }: AnalysisSet,
  analysis: Id<'code_scanning_analyses'> | undefined,
): Promise<void> {
  await sql`delete from code_scanning_instances i using code_scanning_alerts a
    where a.id = i.alert_id and a.tool_name = ${tool_name} and i.repository_id = ${repository_id} and i.ref = ${ref}
      and i.category = ${category}
      and (${analysis ?? null}::bigint is null or i.analysis_id = ${analysis ?? null}::bigint)`.execute(tx);
}

/** Closes all open instances on a deleted ref. */
export const closeRef = (tx: Tx, repository: Id<'repositories'>, ref: string, now: Date) =>
  tx
    .updateTable('code_scanning_instances')
    .set({ is_open: false, fixed_at: now, updated_at: now })
    .where('repository_id', '=', repository)
    .where('ref', '=', ref)
    .where('is_open', '=', true)
    .execute();

/** Moves the instances on a ref to another one. Instances of a former ref with that name are removed. */
export async function moveInstances(tx: Tx, repository: Id<'repositories'>, from: string, to: string): Promise<void> {
  await sql`delete from code_scanning_instances i using code_scanning_instances moved
    where i.repository_id = ${repository} and i.ref = ${to} and moved.repository_id = ${repository} and moved.ref = ${from}
      and moved.alert_id = i.alert_id and moved.category = i.category`.execute(tx);
  await sql`update code_scanning_instances set ref = ${to} where repository_id = ${repository} and ref = ${from}`.execute(tx);
}

/** A new alert of a pull request. `total` and `blocking`: the number of such alerts, and of severe ones among them. */
export type NewAlert = Pick<InstanceRow, 'path' | 'start_line' | 'end_line' | 'start_column' | 'end_column' | 'message'> & {
  description: string;
  severity: string;
  security_severity_level: string | null;
  is_blocking: boolean;
  total: number;
  blocking: number;
};

/** The alerts of a tool that are open on a ref but not on another one, severe ones first. Dismissed alerts don't count. */
export async function listNewAlerts(
  db: Db,
  { repository_id, ref, tool_name, base }: Omit<AnalysisSet, 'category'> & { base: string },
  limit: number,
): Promise<NewAlert[]> {
  const { rows } = await sql<NewAlert>`
    select *, count(*) over ()::integer as total, count(*) filter (where is_blocking) over ()::integer as blocking from (
      select distinct on (a.id) a.id, i.path, i.start_line, i.end_line, i.start_column, i.end_column, i.message, u.description,
        a.severity, u.security_severity_level,
        coalesce(u.security_severity_level in ('critical', 'high'), a.severity = 'error') as is_blocking
      from code_scanning_instances i join code_scanning_alerts a on a.id = i.alert_id
      join code_scanning_rules u on u.id = a.rule_id
      where i.repository_id = ${repository_id} and i.ref = ${ref} and i.is_open and a.tool_name = ${tool_name}
        and a.dismissed_at is null
        and not exists (select from code_scanning_instances b where b.alert_id = a.id and b.ref = ${base} and b.is_open)
      order by a.id, i.id) as found
    order by is_blocking desc, id limit ${limit}`.execute(db);
  return rows;
}

/** The pull requests' refs on which an alert is open. */
export const listPullRefs = async (db: Db, alert: Alert): Promise<{ ref: string; commit_sha: string }[]> =>
  db
    .selectFrom('code_scanning_instances')
    .select(['ref', 'commit_sha'])
    .distinctOn('ref')
    .where('alert_id', '=', alert)
    .where('is_open', '=', true)
    .where('ref', 'like', 'refs/pull/%')
    .orderBy('ref')
    .orderBy('id', 'desc')
    .limit(100)
    .execute();
