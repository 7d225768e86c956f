// The rows of an issue's conversation, in one statement.
import { sql } from 'kysely';
import type { Scope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { countedMilestones, type MilestoneRow, milestoneRows } from '#resources/collaboration/milestones/index.ts';
import { type CommentRow, commentRows } from './comments/store.ts';
import type { Association } from './schemas.ts';
import { associationOf, type IssueRow, primeAssociations } from './store.ts';
import { type IssueEventRow, issueEventRows } from './timeline/store.ts';

type Found = {
  events: IssueEventRow[];
  comments: CommentRow[];
  milestone: MilestoneRow[];
  associated: [Id<'accounts'>, Association][];
};

type Wanted = { readonly events: readonly Id<'issue_events'>[]; readonly comments: readonly Id<'issue_comments'>[] };

/**
 * Loads events and comments of an issue, its milestone, and the associations of those who wrote them, so that what presents them
 * takes no statement for these. The caller has checked that the viewer may see the events.
 */
export async function preloadConversation(scope: Scope, issue: IssueRow, { events, comments }: Wanted): Promise<void> {
  const { db, load, viewer } = scope;
  const commented = sql`any(${[...comments]}::bigint[])`;
  const milestone = countedMilestones(db).where('id', '=', issue.milestone_id);
  const { rows } = await sql<Found>`
    select
      coalesce((select json_agg(e) from issue_events e where e.id = any(${[...events]}::bigint[])), '[]') as events,
      coalesce((select json_agg(c) from issue_comments c where c.id = ${commented}), '[]') as comments,
      coalesce((select json_agg(m) from (${milestone}) m), '[]') as milestone,
      coalesce((select json_agg(json_build_array(a.author, ${associationOf(viewer)}))
        from (select distinct author_id as author from issue_comments where id = ${commented} and author_id is not null) a
          join repositories r on r.id = ${issue.repository_id}), '[]') as associated`.execute(db);
  for (const found of rows) {
    load.prime(
      issueEventRows,
      found.events.map(withTimes).map((row) => [row.id, row]),
    );
    load.prime(
      commentRows,
      found.comments.map(withTimes).map((row) => [row.id, row]),
    );
    load.prime(
      milestoneRows,
      found.milestone.map(withTimes).map((row) => [row.id, row]),
    );
    const repository = issue.repository_id;
    primeAssociations(
      scope,
      found.associated.map(([author, association]) => ({ repository, author, association })),
    );
  }
}

/** The names of columns with times, which JSON has as texts. */
const isTime = (name: string): boolean => name.endsWith('_at') || name === 'due_on';

/** A row that was read as JSON, with its times. */
const withTimes = <Row extends object>(row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isTime(name) && typeof value === 'string' ? new Date(value) : value]),
  ) as Row; // the same columns
