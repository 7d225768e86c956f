import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Oid } from '#git/objects/oid.ts';

/** A map key for a commit of a repository. */
export const commitKey = (repository: number, commit: Oid): string => `${repository}:${commit}`;

/** The numbers of comments on commits, by `commitKey`. Commits without comments are missing. */
export async function loadCommentCounts(
  db: Db,
  commits: readonly { repository: number; commit: Oid }[],
): Promise<ReadonlyMap<string, number>> {
  if (commits.length === 0) return new Map();
  const { rows } = await sql<{ repository: number; commit: Oid; count: number }>`
    select c.repository_id as repository, c.commit_sha as commit, count(*)::int as count
    from unnest(${commits.map(({ repository }) => repository)}::bigint[], ${commits.map(({ commit }) => commit)}::text[])
      as w (repository, commit)
    join commit_comments c on c.repository_id = w.repository and c.commit_sha = w.commit
    group by c.repository_id, c.commit_sha`.execute(db);
  return new Map(rows.map(({ repository, commit, count }) => [commitKey(repository, commit), count]));
}
