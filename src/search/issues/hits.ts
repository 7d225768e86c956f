import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { always, both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import type { IssueSort } from '#search/query/sorts.ts';
import type { Reader } from '#search/read.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import { lexemeOf } from './lexemes.ts';
import { asCondition, type Matching } from './matching.ts';
import type { Tier } from './ranking.ts';

/** A matching issue. */
export type IssueHit = { id: Id<'issues'>; repositoryId: Id<'repositories'>; score: number };

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

/** Up to this number of repositories with less than this share of all issues, the index selects repositories by lexemes. */
const fewRepositories = 64;
const maxShare = 0.1;

/** Makes the condition on rows, with further required lexemes. */
export type Where = (more?: LexemeQuery) => RawBuilder<unknown>;

/**
 * The condition of a matching. The index selects few repositories; many are selected by a comparison on each row. `isByIndex`:
 * the index alone selects the rows, so the plan is the same for all words.
 */
export async function whereOf(
  db: Reader,
  { lexemes, condition }: Matching,
  repositories: readonly Id<'repositories'>[],
): Promise<{ where: Where; isByIndex: boolean }> {
  const few =
    repositories.length === 1 || (repositories.length <= fewRepositories && (await partOf(db, repositories)) < maxShare);
  const own = few ? either(repositories.map((id) => lexeme(lexemeOf.repository(id)))) : always;
  const others = [...(few ? [] : [sql`repository_id = any(${repositories}::bigint[])`]), ...(condition ? [condition] : [])];
  const where: Where = (more = always) => {
    const query = both([lexemes, more, own]);
    if (query.kind === 'never') return sql`false`;
    const found = query.kind === 'query' ? sql`${lexemesOfRow} @@ ${query.text}::tsquery` : sql`true`;
    return sql`(${sql.join([found, ...others], sql` and `)})`;
  };
  return { where, isByIndex: few && condition === undefined };
}

/** The approximate share of all indexed issues that is in these repositories. */
async function partOf(db: Reader, repositories: readonly number[]): Promise<number> {
  const { rows } = await sql<{ part: number }>`
    select coalesce(sum(next_issue_number - 1), 0)::float8
      / greatest((select reltuples from pg_class where oid = 'issue_documents'::regclass), 1) as part
    from repositories where id = any(${repositories}::bigint[])`.execute(db);
  return rows[0]?.part ?? 1;
}

export type Slice = { limit: number; offset: number };

export async function countHits(db: Reader, where: Where): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from issue_documents where ${where()}`.execute(db);
  return rows[0]?.total ?? 0;
}

export type Page = { rows: IssueHit[]; total: number };

/**
 * A page of the best hits, tier by tier, and their total number. A hit in a title comes before any hit in a body. PostgreSQL runs
 * the branches of a union in order and stops at the limit, after a call of `keepOrder`. It counts only if the page doesn't show
 * the total already, as a first page does that isn't full.
 */
export async function listBestHits(db: Reader, where: Where, tiers: readonly Tier[], { limit, offset }: Slice): Promise<Page> {
  const most = limit + offset;
  const branches = tiers.map(
    ({
      lexemes,
      points,
      weight,
    }) => sql`(select issue_id, repository_id, ${points}::real + ${weight} as score from issue_documents
      where ${where(lexemes)} order by ${weight} desc, updated_at desc, issue_id desc limit ${most})`,
  );
  const { rows } = await sql<Page>`
    with page as materialized (
      select issue_id, repository_id, score, row_number() over () as place
      from (${sql.join(branches, sql` union all `)}) as found limit ${limit} offset ${offset}
    )
    select case when ${offset} = 0 and (select count(*) from page) < ${limit} then (select count(*) from page)
        else (select count(*) from issue_documents where ${where()}) end as total,
      coalesce((
        select json_agg(json_build_object('id', issue_id, 'repositoryId', repository_id, 'score', score::float8) order by place)
        from page), '[]') as rows`.execute(db);
  return rows[0] ?? { rows: [], total: 0 };
}

/** Sorts a few hits like `listBestHits`, by comparing the lexemes of each row. */
export async function rankHits(db: Reader, found: readonly IssueHit[], tiers: readonly Tier[]): Promise<IssueHit[]> {
  const scores = tiers.map(({ lexemes, points, weight }) => sql`when ${holds(lexemes)} then ${points}::real + ${weight}`);
  const { rows } = await sql<IssueHit>`
    select issue_id as id, repository_id as "repositoryId", (case ${sql.join(scores, sql` `)} else 0 end)::float8 as score
    from (
      select issue_id, repository_id, updated_at, title_weight, body_weight, comments_weight, ${lexemesOfRow} as lexemes
      from issue_documents where issue_id = any(${found.map(({ id }) => id)}::bigint[]) offset 0
    ) as documents
    order by score desc, updated_at desc, issue_id desc`.execute(db);
  return rows;
}

const holds = (query: LexemeQuery): RawBuilder<unknown> =>
  query.kind === 'query' ? sql`lexemes @@ ${query.text}::tsquery` : sql.lit(query.kind === 'always');

export type Order = { sort: IssueSort; order: 'asc' | 'desc' };

/** A page of sorted hits, and their total number, from one scan of the rows. */
export async function listSortedHits(db: Reader, where: Where, { sort, order }: Order, { limit, offset }: Slice): Promise<Page> {
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<Page>`
    with found as materialized (
      select issue_id, repository_id, ${sortColumns[sort]} as place from issue_documents where ${where()}
    ), page as (select * from found order by place ${direction}, issue_id ${direction} limit ${limit} offset ${offset})
    select (select count(*) from found) as total, coalesce((
      select jsonb_agg(jsonb_build_object('id', issue_id, 'repositoryId', repository_id, 'score', 1)
        order by place ${direction}, issue_id ${direction}) from page), '[]') as rows`.execute(db);
  return rows[0] ?? { rows: [], total: 0 };
}

/** Any hits, unordered, for searches that ran out of time. */
export async function listAnyHits(db: Reader, where: Where, { limit, offset }: Slice): Promise<IssueHit[]> {
  const { rows } = await sql<IssueHit>`
    select issue_id as id, repository_id as "repositoryId", 1::float8 as score
    from issue_documents where ${where()} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** The repository of each issue, for issues in one of these repositories. */
export async function findRepositories(
  db: Reader,
  issues: readonly Id<'issues'>[],
  repositories: readonly Id<'repositories'>[],
): Promise<Map<number, Id<'repositories'>>> {
  if (issues.length === 0) return new Map();
  const { rows } = await sql<{ id: number; repositoryId: Id<'repositories'> }>`
    select id, repository_id as "repositoryId" from issues
    where id = any(${issues}::bigint[]) and repository_id = any(${repositories}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, repositoryId }) => [id, repositoryId]));
}

/** The results of the conditions for each of these issues. */
export async function evaluateConditions(
  db: Reader,
  ids: readonly Id<'issues'>[],
  conditions: readonly Matching[],
): Promise<Map<number, boolean[]>> {
  if (conditions.length === 0) return new Map();
  const { rows } = await sql<{ id: number; facts: boolean[] }>`
    select issue_id as id, array[${sql.join(conditions.map(asCondition))}]::boolean[] as facts
    from issue_documents where issue_id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, facts }) => [id, facts]));
}
