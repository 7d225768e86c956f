import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { type Content, changedCounts } from '#resources/collaboration/reactions/index.ts';

export type ReleaseRow = Selectable<DB['releases']>;

/** Viewers who may see drafts see all releases of a repository. Others see published ones. */
export type ReleaseVisibility = { readonly drafts: boolean };

const ofRepository = (db: Db, repository: OrSql<RepositoryId>, { drafts }: ReleaseVisibility) => {
  const query = db.selectFrom('releases').selectAll().where('repository_id', '=', repository);
  return drafts ? query : query.where('draft', '=', false);
};

/** The releases of a repository, newest first. */
export const listReleases = (
  db: Db,
  repository: RepositoryId,
  visibility: ReleaseVisibility,
  page: Page,
): Promise<Listed<ReleaseRow>> =>
  list(db, ofRepository(db, repository, visibility).orderBy('created_at', 'desc').orderBy('id', 'desc'), page);

export const findRelease = (
  db: Db,
  repository: RepositoryId,
  id: Id<'releases'>,
  visibility: ReleaseVisibility,
): Promise<ReleaseRow | undefined> => ofRepository(db, repository, visibility).where('id', '=', id).executeTakeFirst();

/** The published release of a tag. */
export const selectPublished = (db: Db, repository: OrSql<RepositoryId>, tag: string) =>
  ofRepository(db, repository, { drafts: false }).where('tag_name', '=', tag);

export const findPublished = (db: Db, repository: RepositoryId, tag: string): Promise<ReleaseRow | undefined> =>
  selectPublished(db, repository, tag).executeTakeFirst();

/** The published releases of these tags. */
export const listOfTags = (db: Db, repository: RepositoryId, tags: readonly string[]) =>
  ofRepository(db, repository, { drafts: false })
    .where('tag_name', 'in', tags.length === 0 ? [''] : [...tags])
    .execute();

/** The version numbers in a tag name, such as `{1,10,0}` for `v1.10.0-rc.1`; null if there are none. */
const versionOfTag = sql`string_to_array(
  (regexp_match(tag_name, '^[^0-9]*([0-9]{1,100}(?:[.][0-9]{1,100}){0,9})'))[1], '.')::numeric[]`;

/**
 * The latest release: the one that was marked as latest, otherwise the newest. If several have the same date, the highest version
 * counts.
 */
export const findLatest = (db: Db, repository: RepositoryId): Promise<ReleaseRow | undefined> =>
  ofRepository(db, repository, { drafts: false })
    .where('prerelease', '=', false)
    .where('latest', '<>', sql.lit('false'))
    .orderBy(sql`(latest = 'true')`, 'desc')
    .orderBy('created_at', 'desc')
    .orderBy(versionOfTag, (order) => order.desc().nullsLast())
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** The newest published release with another tag. */
export const findNewestBeside = (db: Db, repository: RepositoryId, tag: string): Promise<ReleaseRow | undefined> =>
  ofRepository(db, repository, { drafts: false })
    .where('tag_name', '<>', tag)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export type MergedPull = {
  number: number;
  title: string;
  author: string | null;
  labels: string[];
  /** Whether its author, a user, has no earlier merged pull request there. */
  is_first: boolean;
};

/** The pull requests of a repository whose merges are among the given commits, in the order of their merges. */
export async function listMergedBy(db: Db, repository: RepositoryId, commits: readonly string[]): Promise<MergedPull[]> {
  if (commits.length === 0) return [];
  const { rows } = await sql<MergedPull>`
    select i.number, i.title, a.login as author,
      array(select l.name from issue_labels il join labels l on l.id = il.label_id
        where il.issue_id = i.id order by l.id) as labels,
      coalesce(a.kind = 'user' and not exists (select from issues e
        where e.author_id = i.author_id and e.repository_id = i.repository_id
        and (e.merged_at, e.number) < (i.merged_at, i.number)), false) as is_first
    from pull_requests p join issues i on i.id = p.issue_id left join accounts a on a.id = i.author_id
    where p.repository_id = ${repository} and p.merge_commit_sha = any (${[...commits]}::text[]) and i.merged_at is not null
    order by i.merged_at, i.number`.execute(db);
  return rows;
}

/** Reads the release again and locks its row; undefined if it was deleted. */
export const findReleaseForUpdate = (tx: Tx, { id }: Pick<ReleaseRow, 'id'>): Promise<ReleaseRow | undefined> =>
  tx.selectFrom('releases').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export async function loadReleases(db: Db, ids: Iterable<Id<'releases'> | null>): Promise<Map<Id<'releases'>, ReleaseRow>> {
  const wanted = unique(ids);
  if (wanted.length === 0) return new Map();
  return keyed(await db.selectFrom('releases').selectAll().where('id', 'in', wanted).execute(), (row) => row.id);
}

export const insertRelease = (tx: Tx, row: Insertable<DB['releases']>): Promise<ReleaseRow> =>
  tx.insertInto('releases').values(row).returningAll().executeTakeFirstOrThrow();

export const updateRelease = (tx: Tx, id: Id<'releases'>, change: Updateable<DB['releases']>): Promise<ReleaseRow> =>
  tx.updateTable('releases').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const removeRelease = (tx: Tx, id: Id<'releases'>) => tx.deleteFrom('releases').where('id', '=', id).execute();

/** Unmarks other published releases of a repository as the latest. */
export const unsetLatest = (tx: Tx, repository: RepositoryId, except: Id<'releases'>) =>
  tx
    .updateTable('releases')
    .set({ latest: 'legacy' })
    .where('repository_id', '=', repository)
    .where('draft', '=', false)
    .where('latest', '=', 'true')
    .where('id', '<>', except)
    .execute();

export const countReleaseReaction = (tx: Tx, id: Id<'releases'>, content: Content, by: 1 | -1) =>
  tx
    .updateTable('releases')
    .set({ reactions: changedCounts(content, by) })
    .where('id', '=', id)
    .execute();
