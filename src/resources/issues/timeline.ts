import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { listMerged, listMergedByTime } from '#database/merged-list.ts';
import type { ViewerContext } from '#endpoint/context.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { repoOf } from '#git/store.ts';
import { gather, getOptional, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { type GitCommit, presentGitCommit, repositoryUrlsOf } from '#resources/commits/index.ts';
import { loadNamedRepositories } from '#resources/repositories/index.ts';
import { loadComments } from './comment-store.ts';
import { loadIssueEvents, maySeeRestricted } from './event-store.ts';
import { presentComments } from './present.ts';
import { presentTimelineEvents } from './present-events.ts';
import type { TimelineEntry } from './schemas.ts';
import type { IssueRow } from './store.ts';

/** One of the three: an event, a comment, or a commit of a pull request. */
type Entry = { event_id: Id<'issue_events'> | null; comment_id: Id<'issue_comments'> | null; commit_sha: Oid | null };

/** The events and comments of an issue, and the commits of a pull request, oldest first. */
export async function listTimeline(
  context: ViewerContext,
  issue: Pick<IssueRow, 'id' | 'comments_count' | 'is_pull_request' | 'repository_id'>,
  page: Page,
): Promise<Listed<TimelineEntry>> {
  const { db, viewer } = context;
  const comments = sql`select null::bigint as event_id, id as comment_id, null::text as commit_sha, created_at
    from issue_comments where issue_id = ${issue.id}`;
  const events = sql`select id as event_id, null::bigint as comment_id, null::text as commit_sha, created_at
    from issue_events where issue_id = ${issue.id}`;
  const open = sql`${events} and not restricted`;
  const restricted = sql`${events} and restricted and ${maySeeRestricted(viewer)}`;
  // A pull request has few commits that are shown.
  const commits = sql`select null::bigint as event_id, null::bigint as comment_id, commit_sha,
      added_at + position * interval '1 microsecond' as created_at
    from pull_request_commits where issue_id = ${issue.id}`;
  const few = issue.is_pull_request ? [restricted, commits] : [restricted];
  const order = sql`created_at, event_id, comment_id`; // at the same time: events first, in their order
  // Of two long parts, both are skipped in their indexes. A short one is read as far as the page, and only the other is skipped.
  const short = Math.floor(page.offset / 8);
  const entries = await (issue.comments_count <= short
    ? listMerged<Entry>(db, { indexed: open, others: [comments, ...few], order }, page)
    : (await hasFewEvents(db, issue, short))
      ? listMerged<Entry>(db, { indexed: comments, others: [open, ...few], order }, page)
      : listMergedByTime<Entry>(db, { indexed: [comments, open], others: few, order }, page));
  return mapRows(entries, (rows) => hydrate(db, context, issue, rows));
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
  { repository_id }: Pick<IssueRow, 'repository_id'>,
  entries: readonly Entry[],
): Promise<TimelineEntry[]> {
  const [events, comments, commits] = await Promise.all([
    loadIssueEvents(db, gather(entries, 'event_id')).then((rows) => presentTimelineEvents(context, rows)),
    loadComments(db, gather(entries, 'comment_id')).then((rows) => presentComments(context, rows)),
    loadCommits(
      context,
      repository_id,
      entries.flatMap(({ commit_sha }) => commit_sha ?? []),
    ),
  ]);
  const commentOf = keyed(comments, (comment) => comment.id);
  return entries.flatMap(({ event_id, comment_id, commit_sha }): TimelineEntry[] => {
    const event = getOptional(events, event_id);
    if (event) return [event];
    const commit = getOptional(commits, commit_sha);
    if (commit) return [{ event: 'committed', ...commit }];
    const comment = getOptional(commentOf, comment_id);
    return comment ? [{ event: 'commented', actor: comment.user, ...comment }] : [];
  });
}

/** Commits of a repository as Git has them, by their names. */
async function loadCommits(
  { db, links, repo, git }: ViewerContext,
  repository: Id<'repositories'>,
  oids: readonly Oid[],
): Promise<Map<Oid, GitCommit>> {
  const named =
    oids.length === 0 ? undefined : (await loadNamedRepositories(db, [repository], repo ? [repo] : [])).get(repository);
  if (!named || !git) return new Map();
  await using reader = await openObjects(repoOf(git, repository));
  const urls = repositoryUrlsOf(links, named);
  const found = await reader.findCommits(oids);
  return new Map([...found.values()].map((commit) => [commit.oid, presentGitCommit(urls, commit)]));
}
