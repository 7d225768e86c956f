import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { both, either, type LexemeQuery, lexeme, not } from '#search/lexeme-query.ts';
import type { Reader } from '#search/read.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import type { Bonus } from './bonuses.ts';
import { lexemeOf } from './lexemes.ts';

/** A matching file. `commitOid` is the commit at which it was indexed. */
export type CodeHit = {
  id: number;
  repositoryId: Id<'repositories'>;
  path: string;
  blobOid: string;
  commitOid: string;
  language: string | null;
  size: number;
  score: number;
};

/** The conditions on rows, and the repositories. */
export type Selection = { lexemes: LexemeQuery; condition: RawBuilder<unknown>; repositories: Id<'repositories'>[] };

/** Up to this number of repositories with less than this share of all files, the index selects repositories by lexemes. */
const fewRepositories = 64;
const maxShare = 0.25;

/** The condition of a selection. The index selects few repositories; many are selected by a comparison on each row. */
export async function whereOf(db: Reader, { lexemes, condition, repositories }: Selection): Promise<Where> {
  const few = repositories.length <= fewRepositories && (await partOf(db, repositories)) < maxShare;
  const own = few ? either(repositories.map((id) => lexeme(lexemeOf.repository(id)))) : undefined;
  // `+ 0` keeps the planner from reading all rows of a repository with the index of paths.
  const inScope = own ? sql`true` : sql`repository_id + 0 = any(${repositories}::bigint[])`;
  return (more) => {
    const query = both([lexemes, ...(more ? [more] : []), ...(own ? [own] : [])]);
    if (query.kind === 'never') return sql`false`;
    const found = query.kind === 'query' ? sql`${lexemesOfRow} @@ ${query.text}::tsquery` : sql`true`;
    return sql`(${found} and ${inScope} and ${condition})`;
  };
}

/** The approximate share of all indexed files that is in these repositories. */
async function partOf(db: Reader, repositories: readonly number[]): Promise<number> {
  const { rows } = await sql<{ part: number }>`
    select coalesce(sum(files), 0)::float8
      / greatest((select reltuples from pg_class where oid = 'code_files'::regclass), 1) as part
    from code_indexes where repository_id = any(${repositories}::bigint[])`.execute(db);
  return rows[0]?.part ?? 1;
}

/** Makes the condition on rows, with further required lexemes. */
export type Where = (more?: LexemeQuery) => RawBuilder<unknown>;

export async function countHits(db: Reader, where: Where): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from code_files where ${where()}`.execute(db);
  return rows[0]?.total ?? 0;
}

type Slice = { limit: number; offset: number };

const columns = sql`f.id, f.repository_id as "repositoryId", f.path, encode(f.blob_oid, 'hex') as "blobOid",
  coalesce(i.commit_oid, i.branch) as "commitOid", f.language, f.size`;

/** The `id` and the `score` of the hits with a bonus. */
function strongHits(where: Where, bonuses: readonly Bonus[]): RawBuilder<unknown> {
  const scans = bonuses.map(
    ({ lexemes, points }) => sql`select id, weight, ${points}::real as points from code_files where ${where(lexemes)}`,
  );
  return sql`select id, max(weight) + sum(points) as score from (${sql.join(scans, sql` union all `)}) as scans group by id`;
}

const some = (bonuses: readonly Bonus[]): LexemeQuery => either(bonuses.map(({ lexemes }) => lexemes));

/** The hits with a bonus, best first, and their total number. */
export async function listStrongHits(db: Reader, where: Where, bonuses: readonly Bonus[], { limit, offset }: Slice) {
  if (bonuses.length === 0) return { hits: [], total: 0 };
  const { rows } = await sql<CodeHit & { total: number }>`
    with page as (
      select id, score, count(*) over () as total from (${strongHits(where, bonuses)}) as scored
      order by score desc, id desc limit ${limit} offset ${offset}
    )
    select ${columns}, page.score::float8 as score, page.total
    from page join code_files f on f.id = page.id join code_indexes i on i.repository_id = f.repository_id
    order by page.score desc, f.id desc`.execute(db);
  const total = rows[0]?.total ?? (offset > 0 ? await countHits(db, () => where(some(bonuses))) : 0);
  return { hits: rows.map(({ total: _, ...hit }) => hit), total };
}

/** The hits without a bonus, by weight and then the latest first. */
export const listWeakHits = (db: Reader, where: Where, bonuses: readonly Bonus[], slice: Slice): Promise<CodeHit[]> =>
  listPage(db, where(not(some(bonuses))), { ...slice, order: sql`weight desc, id desc` });

/** `+ 0` keeps the planner from scanning the whole table in the order of ids. */
const byTime = (order: 'asc' | 'desc'): RawBuilder<unknown> => (order === 'asc' ? sql`(id + 0)` : sql`(id + 0) desc`);

/** The hits in the order in which they were indexed. */
export const listHitsByTime = (
  db: Reader,
  where: Where,
  { order, ...slice }: Slice & { order: 'asc' | 'desc' },
): Promise<CodeHit[]> => listPage(db, where(), { ...slice, order: byTime(order) });

export type Candidates = {
  bonuses: readonly Bonus[];
  /** An expensive condition on a row `f`. It is evaluated in the order of the hits, until there are enough. */
  condition: RawBuilder<unknown>;
  /** The order by time of indexing; undefined: the best first. */
  order: 'asc' | 'desc' | undefined;
  limit: number;
};

/** The first hits that satisfy an expensive condition. */
export async function listCandidates(db: Reader, where: Where, { bonuses, ...options }: Candidates): Promise<CodeHit[]> {
  const weak = sql`select id, weight as score from code_files where ${where(not(some(bonuses)))}`;
  const scored = bonuses.length > 0 ? sql`${strongHits(where, bonuses)} union all ${weak}` : weak;
  const order = options.order ? byTime(options.order) : sql`score desc, id desc`;
  const { rows } = await sql<CodeHit>`
    with page as (
      select id, score, row_number() over () as place
      from (select id, score from (${scored}) as scored order by ${order} offset 0) as f
      where ${options.condition} limit ${options.limit}
    )
    select ${columns}, page.score::float8 as score
    from page join code_files f on f.id = page.id join code_indexes i on i.repository_id = f.repository_id
    order by page.place`.execute(db);
  return rows;
}

/** Any hits, unordered, for searches that ran out of time. */
export const listAnyHits = (db: Reader, where: Where, slice: Slice): Promise<CodeHit[]> => listPage(db, where(), slice);

async function listPage(
  db: Reader,
  where: RawBuilder<unknown>,
  page: Slice & { order?: RawBuilder<unknown> },
): Promise<CodeHit[]> {
  const order = page.order ? sql`order by ${page.order}` : sql``;
  const { rows } = await sql<CodeHit>`
    with page as (
      select id, row_number() over () as place from (
        select id from code_files where ${where} ${order} limit ${page.limit} offset ${page.offset}) as found
    )
    select ${columns}, f.weight::float8 as score
    from page join code_files f on f.id = page.id join code_indexes i on i.repository_id = f.repository_id
    order by page.place`.execute(db);
  return rows;
}
