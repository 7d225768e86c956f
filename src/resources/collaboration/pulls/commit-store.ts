import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';

type Issue = Id<'issues'>;

/** Makes these the commits of a pull request, in their order. Those that it had keep the time at which they came. */
export async function replaceCommits(tx: Tx, issue: Issue, commits: readonly string[], now: Date): Promise<void> {
  await sql`
    with wanted as (
      select sha, nth from unnest(${[...commits]}::text[]) with ordinality as w (sha, nth)
    ), dropped as (
      delete from pull_request_commits where issue_id = ${issue} and commit_sha not in (select sha from wanted)
    )
    insert into pull_request_commits (issue_id, commit_sha, position, added_at)
    select ${issue}, sha, nth, ${now} from wanted
    on conflict (issue_id, commit_sha) do update set position = excluded.position`.execute(tx);
}

export type PullCommit = Pick<Selectable<DB['pull_request_commits']>, 'issue_id' | 'commit_sha' | 'position' | 'added_at'>;

/** The commits of many pull requests, in their order. */
export const loadPullCommits = (db: Db, pulls: readonly Issue[]): Promise<PullCommit[]> =>
  db
    .selectFrom('pull_request_commits')
    .select(['issue_id', 'commit_sha', 'position', 'added_at'])
    .where(sql<boolean>`issue_id = any (${[...pulls]}::bigint[])`)
    .orderBy('issue_id')
    .orderBy('position')
    .execute();

/** Inserts commits of pull requests that come from an archive; of those that one has twice, the first. */
export async function insertImportedCommits(tx: Tx, commits: readonly PullCommit[]): Promise<void> {
  if (commits.length === 0) return;
  await sql`
    insert into pull_request_commits (issue_id, commit_sha, position, added_at)
    select * from unnest(${gather(commits, 'issue_id')}::bigint[], ${gather(commits, 'commit_sha')}::text[],
      ${gather(commits, 'position')}::int[], ${gather(commits, 'added_at')}::timestamptz[])
    on conflict do nothing`.execute(tx);
}
