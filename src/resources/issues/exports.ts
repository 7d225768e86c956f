// Issues with their comments and events in batches, for archives.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { CommentRow } from './comment-store.ts';
import type { IssueEventRow } from './event-store.ts';
import type { IssueRow } from './store.ts';

type Repository = Id<'repositories'>;

/** The issues of a repository after a number, in their order. */
export const listIssuesAfter = (db: Db, repository: Repository, after: number, limit: number): Promise<IssueRow[]> =>
  db
    .selectFrom('issues')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();

/** The comments on all issues of a repository after one of them, oldest first, each with the number of its issue. */
export const listCommentsAfter = (
  db: Db,
  repository: Repository,
  after: Id<'issue_comments'>,
  limit: number,
): Promise<(CommentRow & { number: number })[]> =>
  db
    .selectFrom('issue_comments')
    .innerJoin('issues', 'issues.id', 'issue_comments.issue_id')
    .selectAll('issue_comments')
    .select('issues.number')
    .where('issue_comments.repository_id', '=', repository)
    .where('issue_comments.id', '>', after)
    .orderBy('issue_comments.id')
    .limit(limit)
    .execute();

/**
 * What happened to all issues of a repository after one of the events, oldest first, each with the number of its issue. Events about
 * fields are left out: the fields belong to an organization.
 */
export const listIssueEventsAfter = async (
  db: Db,
  repository: Repository,
  after: Id<'issue_events'>,
  limit: number,
): Promise<(IssueEventRow & { number: number })[]> => {
  const rows = await db
    .selectFrom('issue_events')
    .innerJoin('issues', 'issues.id', 'issue_events.issue_id')
    .selectAll('issue_events')
    .select('issues.number')
    .where('issue_events.repository_id', '=', repository)
    .where('issue_events.id', '>', after)
    .where('issue_events.event', 'not in', ['issue_field_added', 'issue_field_changed', 'issue_field_removed'])
    .orderBy('issue_events.id')
    .limit(limit)
    .execute();
  return rows as (IssueEventRow & { number: number })[]; // the column holds what `insertIssueEvents` wrote
};
