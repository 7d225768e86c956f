// Issues with their comments and events in batches, for archives.
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { listAfter } from '#database/list.ts';
import { asId, type Id, type RepositoryId } from '#lib/id.ts';
import type { CommentRow } from '../comments/store.ts';
import type { IssueRow } from '../store.ts';
import type { IssueEventRow } from '../timeline/store.ts';

/** The issues of a repository after a number, in their order, without pull requests. */
export const listIssuesAfter = (db: Db, repository: RepositoryId, after: number, limit: number): Promise<IssueRow[]> =>
  listAfter(
    db
      .selectFrom('issues')
      .selectAll()
      .where('repository_id', '=', repository)
      .where('is_pull_request', '=', sql<boolean>`false`),
    'number',
    after,
    limit,
  );

/** The issue or pull request of a comment or event. */
export type OfIssue = { number: number; is_pull_request: boolean };

/**
 * The comments on all issues and pull requests of a repository after one of them, oldest first, each with the number of its
 * issue.
 */
export const listCommentsAfter = (
  db: Db,
  repository: RepositoryId,
  after: Id<'issue_comments'>,
  limit: number,
): Promise<(CommentRow & OfIssue)[]> =>
  listAfter(
    db
      .selectFrom('issue_comments')
      .innerJoin('issues', 'issues.id', 'issue_comments.issue_id')
      .selectAll('issue_comments')
      .select(['issues.number', 'issues.is_pull_request'])
      .where('issue_comments.repository_id', '=', repository),
    'issue_comments.id',
    after,
    limit,
  );

/** Where a list of events goes on: after the one of this time, to the microsecond, and id. */
export type EventKey = { at: string; id: Id<'issue_events'> };
export const firstEvent: EventKey = { at: '-infinity', id: asId(0) };

/** An event with its issue, and the other issue of the same repository that it names, if it names one. */
export type ArchivedEvent = IssueEventRow & OfIssue & { source: OfIssue | null };

/**
 * What happened to all issues of a repository after one of the events, oldest first. Events that not everybody may see are left
 * out: those about fields of an organization, and those that came from another repository.
 */
export async function listIssueEventsAfter(
  db: Db,
  repository: RepositoryId,
  after: EventKey,
  limit: number,
): Promise<(ArchivedEvent & { key: EventKey })[]> {
  const events = db
    .selectFrom('issue_events')
    .innerJoin('issues', 'issues.id', 'issue_events.issue_id')
    .leftJoin('issues as sources', 'sources.id', 'issue_events.source_issue_id')
    .selectAll('issue_events')
    .select(['issues.number', 'issues.is_pull_request', sql<string>`issue_events.created_at::text`.as('at')])
    .select(['sources.number as source_number', 'sources.is_pull_request as source_is_pull_request'])
    .where('issue_events.repository_id', '=', repository)
    .where(sql<boolean>`(issue_events.created_at, issue_events.id) > (${after.at}::timestamptz, ${after.id}::bigint)`)
    .orderBy('issue_events.created_at')
    .orderBy('issue_events.id')
    .limit(limit);
  const open = events.where('issue_events.restricted', '=', false);
  const references = events
    .where('issue_events.restricted', '=', true)
    .where('issue_events.event', '=', 'cross-referenced')
    .where('issue_events.source_repository_id', 'is', null);
  // Each is read along an index.
  const rows = await db
    .selectFrom(open.as('open'))
    .selectAll()
    .unionAll(db.selectFrom(references.as('references')).selectAll())
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  const found = rows as ((typeof rows)[number] & IssueEventRow)[]; // the column holds what `insertIssueEvents` wrote
  return found.map(({ at, source_number, source_is_pull_request, ...row }) => ({
    ...row,
    source: source_number === null ? null : { number: source_number, is_pull_request: source_is_pull_request === true },
    key: { at, id: row.id },
  }));
}
