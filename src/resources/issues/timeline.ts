import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { listMerged, listMergedByTime } from '#database/merged-list.ts';
import type { ViewerContext } from '#endpoint/context.ts';
import { gather, getOptional, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { loadComments } from './comment-store.ts';
import { loadIssueEvents, maySeeRestricted } from './event-store.ts';
import { presentComments } from './present.ts';
import { presentTimelineEvents } from './present-events.ts';
import type { TimelineEntry } from './schemas.ts';
import type { IssueRow } from './store.ts';

type Entry = { event_id: Id<'issue_events'>; comment_id: null } | { event_id: null; comment_id: Id<'issue_comments'> };

/** The events and comments of an issue, oldest first. */
export async function listTimeline(
  context: ViewerContext,
  issue: Pick<IssueRow, 'id' | 'comments_count'>,
  page: Page,
): Promise<Listed<TimelineEntry>> {
  const { db, viewer } = context;
  const comments = sql`select null::bigint as event_id, id as comment_id, created_at from issue_comments where issue_id = ${issue.id}`;
  const events = sql`select id as event_id, null::bigint as comment_id, created_at from issue_events where issue_id = ${issue.id}`;
  const open = sql`${events} and not restricted`;
  const restricted = sql`${events} and restricted and ${maySeeRestricted(viewer)}`;
  const order = sql`created_at, event_id, comment_id`; // at the same time: events first, in their order
  // Of two long parts, both are skipped in their indexes. A short one is read as far as the page, and only the other is skipped.
  const short = Math.floor(page.offset / 8);
  const entries = await (issue.comments_count <= short
    ? listMerged<Entry>(db, { indexed: open, others: [comments, restricted], order }, page)
    : (await hasFewEvents(db, issue, short))
      ? listMerged<Entry>(db, { indexed: comments, others: [open, restricted], order }, page)
      : listMergedByTime<Entry>(db, { indexed: [comments, open], others: [restricted], order }, page));
  return mapRows(entries, (rows) => hydrate(db, context, rows));
}

/** Fewer entries than this are merged in any way. */
const fewEntries = 1_000;

/** Whether an issue has at most this many events. Not asked for a few. */
async function hasFewEvents(db: Db, { id }: Pick<IssueRow, 'id'>, most: number): Promise<boolean> {
  if (most < fewEntries / 8) return false;
  const { rows } = await sql<{ events: number }>`select count(*) as events from (
    select from issue_events where issue_id = ${id} and not restricted limit ${most + 1}) as counted`.execute(db);
  return (rows[0]?.events ?? 0) <= most;
}

async function hydrate(
  db: Db,
  context: ViewerContext,
  entries: readonly { event_id: Id<'issue_events'> | null; comment_id: Id<'issue_comments'> | null }[],
): Promise<TimelineEntry[]> {
  const [events, comments] = await Promise.all([
    loadIssueEvents(db, gather(entries, 'event_id')).then((rows) => presentTimelineEvents(context, rows)),
    loadComments(db, gather(entries, 'comment_id')).then((rows) => presentComments(context, rows)),
  ]);
  const commentOf = keyed(comments, (comment) => comment.id);
  return entries.flatMap(({ event_id, comment_id }): TimelineEntry[] => {
    const event = getOptional(events, event_id);
    if (event) return [event];
    const comment = getOptional(commentOf, comment_id);
    return comment ? [{ event: 'commented', actor: comment.user, ...comment }] : [];
  });
}
