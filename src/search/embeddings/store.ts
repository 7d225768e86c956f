import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Reader } from '#search/read.ts';
import type { Quantised } from './quantise.ts';
import type { QuantizedVectorRow } from './quantized-vectors.ts';

type Issue = Id<'issues'>;
export type EmbedderId = Id<'embedders'>;

/** Longer texts are truncated, since the topic of an issue is usually in its beginning. */
const maxText = 2_000;

/** The text of an issue to embed. */
const textOf = sql.raw(`left(i.title || e'\\n' || coalesce(i.body, ''), ${maxText})`);
/** Half of a SHA-256, which detects changes of an issue's text. */
const hashOf = sql`substr(sha256(convert_to(${textOf}, 'UTF8')), 1, 16)`;

/** The id of an embedder, which is created at its first use. */
export async function ensureEmbedder(db: Db, identity: string): Promise<EmbedderId> {
  const found = await findEmbedder(db, identity);
  if (found !== undefined) return found;
  await sql`insert into embedders (identity) values (${identity}) on conflict (identity) do nothing`.execute(db);
  const created = await findEmbedder(db, identity);
  if (created === undefined) throw new Error(`The embedder ${identity} has no number`);
  return created;
}

async function findEmbedder(db: Db, identity: string): Promise<EmbedderId | undefined> {
  return (await db.selectFrom('embedders').select('id').where('identity', '=', identity).executeTakeFirst())?.id;
}

/** A text to embed, and its hash. */
export type IssueText = { id: Issue; text: string; hash: Buffer };

/** The texts of the given issues whose vector is missing or stale. */
export async function loadChangedTexts(db: Db, embedder: EmbedderId, issues: readonly Issue[]): Promise<IssueText[]> {
  const { rows } = await sql<IssueText>`
    select i.id, ${textOf} as text, ${hashOf} as hash
    from issues i left join issue_vectors v on v.issue_id = i.id and v.embedder_id = ${embedder}
    where i.id = any(${issues}::bigint[]) and v.text_hash is distinct from ${hashOf}`.execute(db);
  return rows;
}

export type NewVector = Quantised & { id: Issue; hash: Buffer };

/**
 * Writes vectors, except for issues that were deleted or whose text changed in the meantime (they are embedded again). A lock
 * lets one transaction at a time assign versions and commit, so readers never see a version after a greater one.
 */
export async function saveVectors(tx: Tx, embedder: EmbedderId, vectors: readonly NewVector[]): Promise<void> {
  const column = <T>(value: (vector: NewVector) => T): T[] => vectors.map(value);
  await sql`select pg_advisory_xact_lock(hashtextextended('issue vectors', 0))`.execute(tx);
  await sql`
    insert into issue_vectors (issue_id, embedder_id, repository_id, text_hash, code, components)
    select i.id, ${embedder}, i.repository_id, n.hash, n.code, n.components
    from unnest(${column(({ id }) => id)}::bigint[], ${column(({ hash }) => hash)}::bytea[],
      ${column(({ code }) => code)}::bytea[],
      ${column(({ components }) => components)}::bytea[]) as n (id, hash, code, components)
    join issues i on i.id = n.id and ${hashOf} = n.hash
    on conflict (issue_id, embedder_id) do update set repository_id = excluded.repository_id, version = default,
      text_hash = excluded.text_hash, code = excluded.code, components = excluded.components`.execute(tx);
}

/** The scope of a list of issues without a vector: issues after an id, up to a limit. */
export type MissingOptions = { embedder: EmbedderId; repository: Id<'repositories'> | undefined; after: number; limit: number };

/** Issues that have no vector of an embedder, ordered by id. */
export async function listMissing(db: Db, { embedder, repository, after, limit }: MissingOptions): Promise<Issue[]> {
  const inScope = repository === undefined ? sql`true` : sql`i.repository_id = ${repository}`;
  const { rows } = await sql<{ id: Issue }>`
    select i.id from issues i where i.id > ${after} and ${inScope}
      and not exists (select from issue_vectors v where v.issue_id = i.id and v.embedder_id = ${embedder})
    order by i.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The number of issues, and the number of issues with a vector of an embedder. */
export async function countVectors(db: Db, embedder: EmbedderId, repository: Id<'repositories'> | undefined) {
  const inScope = repository === undefined ? sql`true` : sql`i.repository_id = ${repository}`;
  const { rows } = await sql<{ issues: number; vectors: number }>`
    select count(*) as issues, count(v.issue_id) as vectors
    from issues i left join issue_vectors v on v.issue_id = i.id and v.embedder_id = ${embedder} where ${inScope}`.execute(db);
  return rows[0] ?? { issues: 0, vectors: 0 };
}

/** Removes up to `limit` vectors of other embedders. Returns whether there may be more. */
export async function removeOthers(tx: Tx, embedder: EmbedderId, limit: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from issue_vectors where (issue_id, embedder_id) in (
      select issue_id, embedder_id from issue_vectors where embedder_id <> ${embedder} limit ${limit}
    )`.execute(tx);
  return Number(numAffectedRows ?? 0) === limit;
}

/** The codes that were written after a version, ordered by version. */
export async function listCodes(db: Db, embedder: EmbedderId, since: number, limit: number) {
  const { rows } = await sql<QuantizedVectorRow & { version: number }>`
    select version, issue_id as "issueId", repository_id as "repositoryId", code from issue_vectors
    where embedder_id = ${embedder} and version > ${since} order by version limit ${limit}`.execute(db);
  return rows;
}

/** The stored vectors of the issues that still exist in these repositories. */
export async function loadVectors(
  db: Reader,
  embedder: EmbedderId,
  { issues, repositories }: { issues: readonly number[]; repositories: readonly number[] },
): Promise<{ issueId: Issue; components: Buffer }[]> {
  const { rows } = await sql<{ issueId: Issue; components: Buffer }>`
    select issue_id as "issueId", components from issue_vectors
    where issue_id = any(${issues}::bigint[]) and embedder_id = ${embedder}
      and repository_id = any(${repositories}::bigint[])`.execute(db);
  return rows;
}

/** The issues whose index row satisfies a condition. */
export async function listMatching(db: Reader, condition: RawBuilder<unknown>): Promise<Set<number>> {
  // One long text, since the driver takes four times as long for a hundred thousand rows.
  const { rows } = await sql<{ ids: string | null }>`
    select string_agg(issue_id::text, ',') as ids from issue_documents where ${condition}`.execute(db);
  return new Set(rows[0]?.ids ? rows[0].ids.split(',').map(Number) : []);
}
