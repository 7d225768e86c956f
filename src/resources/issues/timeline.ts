import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { list, mapRows } from '#database/list.ts';
import type { ViewerContext } from '#endpoint/context.ts';
import { gather, getOptional, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { loadComments } from './comment-store.ts';
import { loadIssueEvents, maySeeEvent } from './event-store.ts';
import { presentComments } from './present.ts';
import { presentIssueEvents } from './present-events.ts';
import type { IssueEvent, TimelineComment } from './schemas.ts';

type Entry = { event_id: Id<'issue_events'>; comment_id: null } | { event_id: null; comment_id: Id<'issue_comments'> };

/** The events and comments of an issue, oldest first. */
export async function listTimeline(
  context: ViewerContext,
  issue: Id<'issues'>,
  page: Page,
): Promise<Listed<IssueEvent | TimelineComment>> {
  const { db, viewer } = context;
  const entries = await list(
    db,
    db
      .selectFrom(
        sql<Entry & { created_at: Date }>`(
          select id as event_id, null::bigint as comment_id, created_at from issue_events
          where issue_id = ${issue} and ${maySeeEvent(viewer)}
          union all
          select null::bigint, id, created_at from issue_comments where issue_id = ${issue})`.as('entry'),
      )
      .select(['entry.event_id', 'entry.comment_id'])
      .orderBy('entry.created_at')
      .orderBy('entry.event_id') // at the same time: events first, in their order
      .orderBy('entry.comment_id'),
    page,
  );
  return mapRows(entries, (rows) => hydrate(db, context, rows));
}

async function hydrate(
  db: Db,
  context: ViewerContext,
  entries: readonly { event_id: Id<'issue_events'> | null; comment_id: Id<'issue_comments'> | null }[],
): Promise<(IssueEvent | TimelineComment)[]> {
  const [events, comments] = await Promise.all([
    loadIssueEvents(db, gather(entries, 'event_id')).then((rows) => presentIssueEvents(context, rows)),
    loadComments(db, gather(entries, 'comment_id')).then((rows) => presentComments(context, rows)),
  ]);
  const eventOf = keyed(events, (event) => event.id);
  const commentOf = keyed(comments, (comment) => comment.id);
  return entries.flatMap(({ event_id, comment_id }): (IssueEvent | TimelineComment)[] => {
    const event = getOptional(eventOf, event_id);
    if (event) return [event];
    const comment = getOptional(commentOf, comment_id);
    return comment ? [{ event: 'commented', actor: comment.user, ...comment }] : [];
  });
}
