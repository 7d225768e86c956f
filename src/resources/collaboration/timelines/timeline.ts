import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { listMerged, listMergedByTime } from '#database/merged-list.ts';
import type { Scope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { repoOf } from '#git/store.ts';
import { gather, getOptional, grouped, keyed, unique } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Listed, Page } from '#lib/page.ts';
import { type GitCommit, presentGitCommits, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import {
  commentRows,
  type IssueRow,
  issueEventRows,
  maySeeRestricted,
  presentComments,
  presentTimelineEvents,
} from '#resources/collaboration/issues/index.ts';
import {
  loadConversations,
  loadReviews,
  presentReviewComments,
  presentReviews,
  reviewLimits,
} from '#resources/collaboration/reviews/index.ts';
import { namedRepositories } from '#resources/repositories/repositories/index.ts';
import type { TimelineConversation, TimelineEntry, TimelineReview } from './schemas.ts';

/**
 * One of these: an event, a comment, a commit of a pull request, a review, or the first comment of a conversation on its diff.
 */
type Entry = {
  event_id: Id<'issue_events'> | null;
  comment_id: Id<'issue_comments'> | null;
  commit_sha: Oid | null;
  review_id: Id<'reviews'> | null;
  conversation_id: Id<'review_comments'> | null;
};

/** The columns of an entry of one kind, with its time. */
const columnsOf = (kind: keyof Entry, id: string, time = 'created_at') =>
  sql`${sql.join(
    (['event_id', 'comment_id', 'commit_sha', 'review_id', 'conversation_id'] as const).map((name) =>
      name === kind
        ? sql`${sql.ref(id)} as ${sql.ref(name)}`
        : sql`null::${sql.raw(name === 'commit_sha' ? 'text' : 'bigint')} as ${sql.ref(name)}`,
    ),
  )}, ${sql.ref(time)} as created_at`;

/** What a timeline needs of its issue. */
type OfTimeline = Pick<IssueRow, 'id' | 'comments_count' | 'is_pull_request' | 'repository_id'>;

/**
 * The events and comments of an issue, and the commits, reviews and conversations of a pull request, oldest first, without those
 * whose `event` is excluded.
 */
export const listTimeline = async (
  scope: Scope,
  issue: OfTimeline,
  excluded: readonly string[],
  page: Page,
): Promise<Listed<TimelineEntry>> =>
  mapRows(await listEntries(scope, issue, excluded, page), (rows) => presentEntries(scope, issue, rows));

/** The entries of a timeline, which `presentEntries` presents. */
export async function listEntries(
  scope: Scope,
  issue: OfTimeline,
  excluded: readonly string[],
  page: Page,
): Promise<Listed<Entry>> {
  const { db, viewer } = scope;
  const wants = (event: string): boolean => !excluded.includes(event);
  const comments = sql`select ${columnsOf('comment_id', 'id')} from issue_comments
    where issue_id = ${issue.id} and ${sql.lit(wants('commented'))}`;
  // Rows are skipped in an index that lacks the names of events, which are read only where one is excluded.
  const named = excluded.length === 0 ? sql`` : sql`and event <> all (${excluded}::text[])`;
  const events = sql`select ${columnsOf('event_id', 'id')} from issue_events where issue_id = ${issue.id} ${named}`;
  const open = sql`${events} and not restricted`;
  const restricted = sql`${events} and restricted and ${maySeeRestricted(viewer)}`;
  // A pull request has few commits that are shown.
  const commits = sql`select null::bigint as event_id, null::bigint as comment_id, commit_sha, null::bigint as review_id,
      null::bigint as conversation_id, added_at + position * interval '1 microsecond' as created_at
    from pull_request_commits where issue_id = ${issue.id}`;
  const reviews = sql`select ${columnsOf('review_id', 'id', 'submitted_at')}
    from reviews where issue_id = ${issue.id} and submitted_at is not null`;
  const conversations = sql`select ${columnsOf('conversation_id', 'id', 'submitted_at')}
    from review_comments where issue_id = ${issue.id} and in_reply_to_id is null and submitted_at is not null`;
  const ofPull = [
    ...(wants('committed') ? [commits] : []),
    ...(wants('reviewed') ? [reviews] : []),
    ...(wants('line-commented') ? [conversations] : []),
  ];
  const few = issue.is_pull_request ? [restricted, ...ofPull] : [restricted];
  // At the same time: events first, in their order, and reviews before what they say of lines.
  const order = sql`created_at, event_id, comment_id, review_id, conversation_id`;
  // Of two long parts, both are skipped in their indexes. A short one is read as far as the page, and only the other is skipped.
  const short = Math.floor(page.offset / 8);
  const commentsCount = wants('commented') ? issue.comments_count : 0;
  return commentsCount <= short
    ? listMerged<Entry>(db, { indexed: open, others: [comments, ...few], order }, page)
    : (await hasFewEvents(db, issue, short))
      ? listMerged<Entry>(db, { indexed: comments, others: [open, ...few], order }, page)
      : listMergedByTime<Entry>(db, { indexed: [comments, open], others: few, order }, page);
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

/** The ids of one kind in entries. */
export const idsOf = <Kind extends 'event_id' | 'comment_id'>(
  entries: readonly Entry[],
  kind: Kind,
): NonNullable<Entry[Kind]>[] => entries.flatMap((entry) => entry[kind] ?? []);

/** Entries of one timeline, as they are shown. What may be needed by several of them is loaded once. */
export async function presentEntries(
  scope: Scope,
  { repository_id }: Pick<IssueRow, 'repository_id'>,
  entries: readonly Entry[],
  options: { withoutSources?: boolean } = {},
): Promise<TimelineEntry[]> {
  const { load } = scope;
  const [eventRows, commentsRows] = await Promise.all([
    load.all(issueEventRows, idsOf(entries, 'event_id')),
    load.all(commentRows, idsOf(entries, 'comment_id')),
  ]);
  // Both are presented from here on at the same time, so that their people are loaded together.
  const [events, comments, commits, reviews, conversations] = await Promise.all([
    presentTimelineEvents(scope, [...eventRows.values()], options),
    presentComments(scope, [...commentsRows.values()]),
    loadCommits(
      scope,
      repository_id,
      entries.flatMap(({ commit_sha }) => commit_sha ?? []),
    ),
    loadTimelineReviews(scope, repository_id, unique(gather(entries, 'review_id'))),
    loadTimelineConversations(scope, repository_id, unique(gather(entries, 'conversation_id'))),
  ]);
  const commentOf = keyed(comments, (comment) => comment.id);
  return entries.flatMap(({ event_id, comment_id, commit_sha, review_id, conversation_id }): TimelineEntry[] => {
    const event = getOptional(events, event_id);
    if (event) return [event];
    const commit = getOptional(commits, commit_sha);
    if (commit) return [{ event: 'committed', ...commit }];
    const ofReviews = getOptional(reviews, review_id) ?? getOptional(conversations, conversation_id);
    if (ofReviews) return [ofReviews];
    const comment = getOptional(commentOf, comment_id);
    return comment ? [{ event: 'commented', actor: comment.user, ...comment }] : [];
  });
}

/** Commits of a repository as Git has them, by their names. */
async function loadCommits(scope: Scope, repository: Id<'repositories'>, oids: readonly Oid[]): Promise<Map<Oid, GitCommit>> {
  const { links, git } = scope;
  const named = oids.length === 0 ? undefined : await findNamed(scope, repository);
  if (!named) return new Map();
  await using reader = await openObjects(repoOf(git, repository));
  const urls = repositoryUrlsOf(links, named);
  const found = await reader.findCommits(oids);
  return keyed(await presentGitCommits(scope, urls, [...found.values()]), ({ sha }) => sha);
}

/** The repository that reviews are of. */
async function findNamed({ load }: Scope, repository: Id<'repositories'>) {
  return (await load.all(namedRepositories, [repository])).get(repository);
}

const inSmall = {
  COMMENTED: 'commented',
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  DISMISSED: 'dismissed',
} as const;

/** Submitted reviews as timelines show them, by their ids. */
async function loadTimelineReviews(
  scope: Scope,
  repository: Id<'repositories'>,
  ids: readonly Id<'reviews'>[],
): Promise<Map<Id<'reviews'>, TimelineReview>> {
  const named = ids.length === 0 ? undefined : await findNamed(scope, repository);
  if (!named) return new Map();
  const rows = await loadReviews(scope.db, ids);
  const presented = await presentReviews(scope, named, rows);
  return new Map(
    rows.flatMap(({ id }, at): [Id<'reviews'>, TimelineReview][] => {
      const review = presented[at];
      if (!review?.submitted_at || review.state === 'PENDING') return [];
      const { state, submitted_at } = review;
      return [[id, { ...review, event: 'reviewed' as const, submitted_at, state: inSmall[state] }]];
    }),
  );
}

const maxReplies = fixedValue(reviewLimits.timeline);

/** Conversations as timelines show them, by the comments that began them. */
async function loadTimelineConversations(
  scope: Scope,
  repository: Id<'repositories'>,
  ids: readonly Id<'review_comments'>[],
): Promise<Map<Id<'review_comments'>, TimelineConversation>> {
  const named = ids.length === 0 ? undefined : await findNamed(scope, repository);
  if (!named) return new Map();
  const rows = await loadConversations(scope.db, ids, maxReplies);
  const presented = keyed(await presentReviewComments(scope, named, rows), ({ id }) => id as number);
  const conversations = [...grouped(rows, ({ id, in_reply_to_id }) => in_reply_to_id ?? id)];
  return new Map(
    conversations.map(([id, comments]) => [
      id,
      {
        event: 'line-commented',
        node_id: nodeId('PullRequestReviewThread', id),
        comments: comments.flatMap((comment) => presented.get(comment.id) ?? []),
      },
    ]),
  );
}
