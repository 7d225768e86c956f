import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import type { Reader } from '#search/read.ts';
import { facet } from './facets.ts';
import { lexemesOfRow } from './store.ts';

/** A commit that matched. */
export type CommitHit = { id: number; repositoryId: Id<'repositories'>; oid: string; score: number };

/** A hit with what a closer look needs. */
export type CommitRow = CommitHit & { message: string };

export type Selection = { lexemes: LexemeQuery; condition: RawBuilder<unknown>; repositories: Id<'repositories'>[] };

export const commitSorts = ['author-date', 'committer-date'] as const;
export type CommitSort = (typeof commitSorts)[number];

export type Listing = { order: RawBuilder<unknown>; limit: number; offset: number };

const fewRepositories = 64;

/** Which rows match. Few repositories are asked for by their own lexemes; many by a look at each row. */
export function whereOf({ lexemes, condition, repositories }: Selection): RawBuilder<unknown> {
  const few = repositories.length <= fewRepositories;
  const own = few ? [either(repositories.map((id) => lexeme(facet.repository(id))))] : [];
  const query = both([lexemes, ...own]);
  if (query.kind === 'never') return sql`false`;
  if (query.kind === 'always') return sql`(repository_id = any(${repositories}::bigint[]) and ${condition})`;
  // Adding zero keeps the planner from reading all rows of a repository where the words select fewer.
  const scope = few ? sql`true` : sql`repository_id + 0 = any(${repositories}::bigint[])`;
  return sql`(${lexemesOfRow} @@ ${query.text}::tsquery and ${scope} and ${condition})`;
}

export const and = (...conditions: RawBuilder<unknown>[]): RawBuilder<unknown> => sql`(${sql.join(conditions, sql` and `)})`;

/** The order of hits: by a date, or by weight with words in the subject line first, or the latest first where all are equal. */
export function orderOf(options: {
  sort: CommitSort | undefined;
  order: 'asc' | 'desc';
  subject: LexemeQuery | undefined;
}): RawBuilder<unknown> {
  const direction = options.order === 'asc' ? sql`asc` : sql`desc`;
  if (options.sort)
    return sql`${options.sort === 'author-date' ? sql`author_date` : sql`committer_date`} ${direction}, id ${direction}`;
  if (!options.subject) return sql`author_date desc, id desc`;
  return sql`${scoreOf(options.subject)} desc, author_date desc, id desc`;
}

/** A commit whose subject line has the words comes before one that has them further down. */
export const scoreOf = (subject: LexemeQuery | undefined): RawBuilder<unknown> =>
  subject?.kind === 'query'
    ? sql`(weight + case when ${lexemesOfRow} @@ ${subject.text}::tsquery then 2 else 0 end)::real`
    : sql`weight`;

export async function countCommits(db: Reader, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from indexed_commits where ${where}`.execute(db);
  return rows[0]?.total ?? 0;
}

export async function listCommitHits(
  db: Reader,
  where: RawBuilder<unknown>,
  { order, limit, offset, score }: Listing & { score: RawBuilder<unknown> },
): Promise<CommitRow[]> {
  const { rows } = await sql<CommitRow>`
    select id, repository_id as "repositoryId", encode(oid, 'hex') as oid, message, (${score})::float8 as score
    from indexed_commits where ${where} order by ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** Some hits, in no order: all that there is time for. */
export async function listAnyCommits(db: Reader, where: RawBuilder<unknown>, limit: number): Promise<CommitRow[]> {
  const { rows } = await sql<CommitRow>`
    select id, repository_id as "repositoryId", encode(oid, 'hex') as oid, message, weight::float8 as score
    from indexed_commits where ${where} limit ${limit}`.execute(db);
  return rows;
}

/** The messages of these commits. */
export async function findMessages(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; message: string }>`
    select id, message from indexed_commits where id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, message }) => [id, message]));
}
