import { type Selectable, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

/** A commit with tools' results: for the commit itself, and for the test merge of a pull request with this head. */
type ScannedCommit = {
  readonly repository: Id<'repositories'>;
  readonly commit: string;
  /** The ref of the pull request's test merge. */
  readonly mergeRef: string | undefined;
  /** The branch that would get the commit. */
  readonly base: string;
};

/** The number of new alerts of one severity from a tool. A tool without any has one row, with the severity null. */
export type NewAlertCount = { readonly tool: string; readonly count: number } & (
  | {
      readonly severity: Selectable<DB['code_scanning_alerts']>['severity'];
      readonly level: Selectable<DB['code_scanning_rules']>['security_severity_level'];
    }
  | { readonly severity: null; readonly level: null }
);

/**
 * The alerts of tools at a commit, by the latest analysis of each category, that are neither dismissed nor open on the base. A
 * tool without results has no row. It doesn't matter whether the analysed refs have moved or were deleted.
 */
export async function countNewAlerts(
  db: Db,
  { repository, commit, mergeRef, base }: ScannedCommit,
  tools: readonly string[],
): Promise<NewAlertCount[]> {
  const { rows } = await sql<NewAlertCount>`
    with latest as (
      select distinct on (tool_name, category) tool_name, alert_numbers from (
        select id, tool_name, category, alert_numbers from code_scanning_analyses
        where repository_id = ${repository} and commit_sha = ${commit} and tool_name = any (${[...tools]}::text[])
        union all
        select id, tool_name, category, alert_numbers from code_scanning_analyses
        where repository_id = ${repository} and ref = ${mergeRef ?? null} and tool_name = any (${[...tools]}::text[])
          and pull_head_sha = ${commit}) as analyses
      order by tool_name, category, id desc
    ), found as (
      select distinct tool_name, number from latest, unnest(alert_numbers) as number where number > 0
    ), counted as (
      select f.tool_name, a.severity, u.security_severity_level as level, count(*)::integer as count
      from found f join code_scanning_alerts a on a.repository_id = ${repository} and a.number = f.number
        join code_scanning_rules u on u.id = a.rule_id
      where a.dismissed_at is null
        and not exists (select from code_scanning_instances b where b.alert_id = a.id and b.ref = ${base} and b.is_open)
      group by f.tool_name, a.severity, u.security_severity_level
    )
    select t.tool_name as tool, c.severity, c.level, coalesce(c.count, 0) as count
    from (select distinct tool_name from latest) as t left join counted c on c.tool_name = t.tool_name`.execute(db);
  return rows;
}
