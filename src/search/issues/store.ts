import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import { type Document, rowVersion, type Source } from './document.ts';

type Issue = Id<'issues'>;

/** The number of characters of an issue's comments that are searchable. */
const maxComments = 1_000_000;

/** Locks issues for indexing, so that concurrent indexers of an issue read and write its row one after the other. */
export async function lockIssues(tx: Tx, issues: readonly Issue[]): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${indexersLock})`.execute(tx);
  await sql`select pg_advisory_xact_lock(hashtextextended('issue:' || id, 0))
    from (select id from unnest(${issues}::bigint[]) as i(id) order by id) as i`.execute(tx);
}

const indexersLock = sql`hashtextextended('issue indexers', 0)`;

/** Waits until all currently running indexers have committed. */
export async function waitForIndexers(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${indexersLock})`.execute(db);
}

/** The indexed data of issues, in one statement. */
export async function loadSources(tx: Tx, issues: readonly Issue[]): Promise<Source[]> {
  const { rows } = await sql<Source>`
    select i.id, i.repository_id as "repositoryId", i.title, i.body, i.author_id as "authorId", i.state,
      i.state_reason as "stateReason", i.locked, m.title as milestone, coalesce(c.text, '') as comments,
      coalesce(c.commenters, '{}') as commenters,
      coalesce((select array_agg(a.user_id) from issue_assignees a where a.issue_id = i.id), '{}') as assignees,
      coalesce((select array_agg(l.name) from issue_labels il join labels l on l.id = il.label_id where il.issue_id = i.id), '{}')
        as labels,
      (select jsonb_build_object('isDraft', i.is_draft, 'isMerged', i.merged_at is not null,
          'headRef', p.head_ref, 'baseRef', p.base_ref,
          'commits', array_remove(array[p.head_sha, case when i.merged_at is not null then p.merge_commit_sha end], null)
            || array(select c.commit_sha from pull_request_commits c where c.issue_id = i.id))
        from pull_requests p where p.issue_id = i.id) as pull
    from issues i left join milestones m on m.id = i.milestone_id
    left join lateral (
      select string_agg(c.body, e'\n' order by c.id) filter (where c.upto <= ${maxComments}) as text,
        array_agg(distinct c.author_id) filter (where c.author_id is not null) as commenters
      from (select id, body, author_id, sum(length(body)) over (order by id) as upto from issue_comments
        where issue_id = i.id) as c
    ) as c on true
    where i.id = any(${issues}::bigint[])`.execute(tx);
  return rows;
}

/** Writes index rows. Copied columns come from the issues. Unchanged words aren't written, so their index isn't updated. */
export async function saveDocuments(tx: Tx, documents: readonly Document[]): Promise<void> {
  const column = <T>(value: (document: Document) => T): T[] => documents.map(value);
  await sql`
    insert into issue_documents as d (issue_id, repository_id, created_at, updated_at, closed_at,
      is_pull_request, merged_at, comments, reactions, plus_one, minus_one, laugh, confused, heart, hooray,
      title_weight, body_weight, comments_weight, analyser, words, pairs)
    select i.id, i.repository_id, i.created_at, i.updated_at, i.closed_at, i.is_pull_request, i.merged_at, i.comments_count,
      (select coalesce(sum(n::integer), 0) from jsonb_each_text(i.reactions) as r(content, n)),
      ${count('+1')}, ${count('-1')}, ${count('laugh')}, ${count('confused')}, ${count('heart')}, ${count('hooray')},
      f.title_weight, f.body_weight, f.comments_weight, f.version, f.words, decode(f.pairs, 'hex')
    from unnest(${column((d) => d.id)}::bigint[], ${column((d) => d.titleWeight)}::real[], ${column((d) => d.bodyWeight)}::real[],
      ${column((d) => d.commentsWeight)}::real[], ${column((d) => d.version)}::smallint[], ${column((d) => d.words)}::text[],
      ${column((d) => d.pairs.toString('hex'))}::text[]
    ) as f (id, title_weight, body_weight, comments_weight, version, words, pairs) join issues i on i.id = f.id
    on conflict (issue_id) do update set
      repository_id = excluded.repository_id, created_at = excluded.created_at, updated_at = excluded.updated_at,
      closed_at = excluded.closed_at, is_pull_request = excluded.is_pull_request, merged_at = excluded.merged_at,
      comments = excluded.comments, reactions = excluded.reactions,
      plus_one = excluded.plus_one, minus_one = excluded.minus_one, laugh = excluded.laugh, confused = excluded.confused,
      heart = excluded.heart, hooray = excluded.hooray, title_weight = excluded.title_weight, body_weight = excluded.body_weight,
      comments_weight = excluded.comments_weight, analyser = excluded.analyser, pairs = excluded.pairs,
      words = case when d.words = excluded.words then d.words else excluded.words end`.execute(tx);
}

const count = (content: string) => sql`coalesce((i.reactions ->> ${content})::integer, 0)`;

/** The ids, after `after` and in order, of issues of one repository or of all that have no row of the current version. */
export async function listMissing(
  db: Db,
  { repository, after, limit }: { repository: RepositoryId | undefined; after: number; limit: number },
): Promise<Issue[]> {
  const inScope = repository === undefined ? sql`true` : sql`i.repository_id = ${repository}`;
  const { rows } = await sql<{ id: Issue }>`
    select i.id from issues i left join issue_documents d on d.issue_id = i.id and d.analyser = ${rowVersion}
    where i.id > ${after} and ${inScope} and d.issue_id is null order by i.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Marks the rows of all issues of a repository as stale. Searches still use them until they are indexed again. */
export async function markStale(tx: Tx, repository: RepositoryId): Promise<void> {
  await sql`update issue_documents set analyser = 0 where analyser <> 0
    and issue_id in (select id from issues where repository_id = ${repository})`.execute(tx);
}

export async function countIssues(db: Db, repository: RepositoryId): Promise<number> {
  const { rows } = await sql<{
    issues: number;
  }>`select count(*) as issues from issues where repository_id = ${repository}`.execute(db);
  return rows[0]?.issues ?? 0;
}

/** The issues whose rows have all of these lexemes. */
export async function listWithLexemes(db: Db, query: string, after: number, limit: number): Promise<Issue[]> {
  const { rows } = await sql<{ id: Issue }>`
    select issue_id as id from issue_documents where ${lexemesOfRow} @@ ${query}::tsquery and issue_id > ${after}
    order by issue_id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Moves new entries from the pending list of the GIN index into the index, which makes searches faster. */
export async function flushPendingList(db: Db): Promise<void> {
  await sql`select gin_clean_pending_list('issue_documents_words')`.execute(db);
}
