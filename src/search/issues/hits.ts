import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { always, both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import type { Reader } from '#search/read.ts';
import { facet } from './facets.ts';
import { type Matching, wholly } from './matching.ts';
import type { Tier } from './ranking.ts';
import { lexemesOfRow } from './store.ts';

/** An issue that matched. */
export type IssueHit = { id: Id<'issues'>; repositoryId: Id<'repositories'>; score: number };

export const issueSorts = [
  'comments',
  'reactions',
  'reactions-+1',
  'reactions--1',
  'reactions-smile',
  'reactions-thinking_face',
  'reactions-heart',
  'reactions-tada',
  'interactions',
  'created',
  'updated',
] as const;
export type IssueSort = (typeof issueSorts)[number];

const sortColumns: Record<IssueSort, RawBuilder<unknown>> = {
  comments: sql`comments`,
  reactions: sql`reactions`,
  'reactions-+1': sql`plus_one`,
  'reactions--1': sql`minus_one`,
  'reactions-smile': sql`laugh`,
  'reactions-thinking_face': sql`confused`,
  'reactions-heart': sql`heart`,
  'reactions-tada': sql`hooray`,
  interactions: sql`(comments + reactions)`,
  created: sql`created_at`,
  updated: sql`updated_at`,
};

const fewRepositories = 64;

/** A condition on rows, with further lexemes if wanted. */
export type Where = (more?: LexemeQuery) => RawBuilder<unknown>;

/** Which rows match. Few repositories are asked for by their own lexemes; many by a look at each row. */
export function whereOf({ lexemes, condition = sql`true` }: Matching, repositories: readonly Id<'repositories'>[]): Where {
  const few = repositories.length <= fewRepositories;
  const own = few ? either(repositories.map((id) => lexeme(facet.repository(id)))) : always;
  const scope = few ? sql`true` : sql`repository_id = any(${repositories}::bigint[])`;
  return (more = always) => {
    const query = both([lexemes, more, own]);
    if (query.kind === 'never') return sql`false`;
    const found = query.kind === 'query' ? sql`${lexemesOfRow} @@ ${query.text}::tsquery` : sql`true`;
    return sql`(${found} and ${scope} and ${condition})`;
  };
}

export type Slice = { limit: number; offset: number };

export async function countHits(db: Reader, where: Where): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from issue_documents where ${where()}`.execute(db);
  return rows[0]?.total ?? 0;
}

/**
 * The best hits first: tier by tier, since a hit in a title comes before any in a body. PostgreSQL reads the branches of a union
 * in their order and only as many as the page needs; without helpers, which would mix them.
 */
export async function listBestHits(
  db: Reader,
  where: Where,
  tiers: readonly Tier[],
  { limit, offset }: Slice,
): Promise<IssueHit[]> {
  const most = limit + offset;
  const branches = tiers.map(
    ({
      lexemes,
      points,
      weight,
    }) => sql`(select issue_id, repository_id, ${points}::real + ${weight} as score from issue_documents
      where ${where(lexemes)} order by ${weight} desc, updated_at desc, issue_id desc limit ${most})`,
  );
  await sql`select set_config('max_parallel_workers_per_gather', '0', true)`.execute(db);
  const { rows } = await sql<IssueHit>`
    select issue_id as id, repository_id as "repositoryId", score::float8 as score
    from (${sql.join(branches, sql` union all `)}) as found limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

export type Order = { sort: IssueSort; order: 'asc' | 'desc' };

/** Hits by one of the sorts. */
export function listSortedHits(db: Reader, where: Where, { sort, order }: Order, slice: Slice): Promise<IssueHit[]> {
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  return listPage(db, where, { ...slice, order: sql`order by ${sortColumns[sort]} ${direction}, issue_id ${direction}` });
}

/** Some hits, in no order: all that there is time for. */
export const listAnyHits = (db: Reader, where: Where, slice: Slice): Promise<IssueHit[]> =>
  listPage(db, where, { ...slice, order: sql`` });

async function listPage(
  db: Reader,
  where: Where,
  { limit, offset, order }: Slice & { order: RawBuilder<unknown> },
): Promise<IssueHit[]> {
  const { rows } = await sql<IssueHit>`
    select issue_id as id, repository_id as "repositoryId", 1::float8 as score
    from issue_documents where ${where()} ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** Which of these hold for each of some hits. */
export async function findFacts(
  db: Reader,
  ids: readonly Id<'issues'>[],
  questions: readonly Matching[],
): Promise<Map<number, boolean[]>> {
  const { rows } = await sql<{ id: number; facts: boolean[] }>`
    select issue_id as id, array[${sql.join(questions.map(wholly))}]::boolean[] as facts
    from issue_documents where issue_id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, facts }) => [id, facts]));
}
