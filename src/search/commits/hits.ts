import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { both, either, type LexemeQuery, lexeme, not } from '#search/lexeme-query.ts';
import type { CommitSort } from '#search/query/sorts.ts';
import type { Reader } from '#search/read.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import { lexemeOf } from './lexemes.ts';

/** A matching commit. */
export type CommitHit = { id: number; repositoryId: Id<'repositories'>; oid: string; score: number };

/** A hit with the text to check for phrases. */
export type CommitRow = CommitHit & { message: string };

export type Selection = { lexemes: LexemeQuery; condition: RawBuilder<unknown>; repositories: Id<'repositories'>[] };

type Slice = { limit: number; offset: number };

const fewRepositories = 64;

/** Makes the condition on rows, with further required lexemes. */
export type Where = (more?: LexemeQuery) => RawBuilder<unknown>;

/** The condition of a selection. The index selects few repositories; many are selected by a comparison on each row. */
export function whereOf({ lexemes, condition, repositories }: Selection): Where {
  const few = repositories.length <= fewRepositories;
  const own = few ? [either(repositories.map((id) => lexeme(lexemeOf.repository(id))))] : [];
  return (more) => {
    const query = both([lexemes, ...(more ? [more] : []), ...own]);
    if (query.kind === 'never') return sql`false`;
    if (query.kind === 'always') return sql`(repository_id = any(${repositories}::bigint[]) and ${condition})`;
    // `+ 0` keeps the planner from reading all rows of a repository if the words select fewer.
    const scope = few ? sql`true` : sql`repository_id + 0 = any(${repositories}::bigint[])`;
    return sql`(${lexemesOfRow} @@ ${query.text}::tsquery and ${scope} and ${condition})`;
  };
}

export const and = (...conditions: RawBuilder<unknown>[]): RawBuilder<unknown> => sql`(${sql.join(conditions, sql` and `)})`;

/** The points of words in the subject line, which outweigh any weight. */
const subjectPoints = 2;

/**
 * The best hits: first the hits with words in the subject line, then by weight, and then the latest first. The index separates
 * both groups, so no row's lexemes are read.
 */
export function listBestCommits(db: Reader, where: Where, subject: LexemeQuery, { limit, offset }: Slice): Promise<CommitRow[]> {
  const branch = (more: LexemeQuery, points: number) => sql`(
    select id, weight + ${sql.lit(points)}::real as score, author_date from indexed_commits where ${where(more)}
    order by score desc, author_date desc, id desc limit ${limit + offset})`;
  const order = sql`score desc, author_date desc, id desc`;
  return pageOf(
    db,
    sql`select id, score, row_number() over (order by ${order}) as place
      from (${branch(subject, subjectPoints)} union all ${branch(not(subject), 0)}) as found
      order by ${order} limit ${limit} offset ${offset}`,
  );
}

/** The hits by a date, then in the order of indexing. */
export function listCommitsByDate(
  db: Reader,
  where: Where,
  { sort, order, limit, offset }: Slice & { sort: CommitSort; order: 'asc' | 'desc' },
): Promise<CommitRow[]> {
  const column = sort === 'author-date' ? sql`author_date` : sql`committer_date`;
  const by = order === 'asc' ? sql`${column}, id` : sql`${column} desc, id desc`;
  return pageOf(
    db,
    sql`select id, weight as score, row_number() over (order by ${by}) as place
      from indexed_commits where ${where()} order by ${by} limit ${limit} offset ${offset}`,
  );
}

/** Any hits, unordered, for searches that ran out of time. */
export const listAnyCommits = (db: Reader, where: Where, limit: number): Promise<CommitRow[]> =>
  pageOf(db, sql`select id, weight as score, id as place from indexed_commits where ${where()} limit ${limit}`);

/** The full rows of a selected page. */
async function pageOf(db: Reader, selected: RawBuilder<unknown>): Promise<CommitRow[]> {
  const { rows } = await sql<CommitRow>`
    with page as (${selected})
    select c.id, c.repository_id as "repositoryId", encode(c.oid, 'hex') as oid, c.message, page.score::float8 as score
    from page join indexed_commits c on c.id = page.id order by page.place`.execute(db);
  return rows;
}

export async function countCommits(db: Reader, where: Where): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from indexed_commits where ${where()}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** The messages of these commits. */
export async function findMessages(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; message: string }>`
    select id, message from indexed_commits where id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, message }) => [id, message]));
}
