import { type RawBuilder, sql } from 'kysely';
import type { RepositoryPermission } from '#access/permissions.ts';
import { readableRepositoryIds } from '#access/sql.ts';
import type { Account, RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Loader } from '#endpoint/loaders.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';

/**
 * A repository with its owner's login, as needed for addresses below it. `has_workflow_rules` is undefined if the owner was
 * loaded without it.
 */
export type RepositoryWithOwner = RepositoryRow & {
  owner: Pick<Account, 'login' | 'kind'> & Partial<Pick<Account, 'has_workflow_rules'>>;
};

/** The repositories of a page's rows. Access isn't checked, since the query of the rows has checked it. */
export async function loadNamedRepositories(
  db: Db,
  ids: readonly Id<'repositories'>[],
): Promise<Map<Id<'repositories'>, RepositoryWithOwner>> {
  const wanted = unique(ids);
  const rows = wanted.length === 0 ? [] : await withOwners(db, wanted).execute();
  return keyed(rows.map(withOwner), ({ id }) => id);
}

/** Repositories with their owners. Access isn't checked, since the reply already contains their names. */
export const namedRepositories: Loader<Id<'repositories'>, RepositoryWithOwner> = ({ db }, ids) => loadNamedRepositories(db, ids);

/** The given repositories that the viewer may read. The credential needs these permissions in addition to `metadata:read`. */
export async function loadReadableNamedRepositories(
  db: Db,
  viewer: Viewer,
  ids: readonly Id<'repositories'>[],
  ...permissions: readonly RepositoryPermission[]
): Promise<RepositoryWithOwner[]> {
  const wanted = unique(ids);
  if (wanted.length === 0) return [];
  const rows = await withOwners(db, wanted)
    .where(sql<boolean>`r.id in ${readableRepositoryIds(viewer, ...permissions)}`)
    .execute();
  return rows.map(withOwner);
}

/** Repositories by their full names, `owner/name` in lower case. Access isn't checked. */
export async function loadNamed(db: Db, fullNames: readonly string[]): Promise<Map<string, RepositoryWithOwner>> {
  if (fullNames.length === 0) return new Map();
  const rows = await allWithOwners(db).where(isAmong(sql`lower(o.login), lower(r.name)`, fullNames)).execute();
  return keyed(rows.map(withOwner), ({ owner, name }) => `${owner.login}/${name}`.toLowerCase());
}

/** Repositories by former full names, in lower case, that no other repository has taken. Access isn't checked. */
export async function loadFormerlyNamed(db: Db, fullNames: readonly string[]): Promise<Map<string, RepositoryWithOwner>> {
  if (fullNames.length === 0) return new Map();
  const rows = await allWithOwners(db)
    .innerJoin('repository_redirects as f', 'f.repository_id', 'r.id')
    .select(sql<string>`f.owner_login || '/' || f.name`.as('former_name'))
    .where(isAmong(sql`f.owner_login, f.name`, fullNames))
    .execute();
  return new Map(rows.map(({ former_name, ...row }) => [former_name, withOwner(row)]));
}

/** Whether an owner's login and a name, in lower case, form one of these full names. */
function isAmong(columns: RawBuilder<unknown>, fullNames: readonly string[]): RawBuilder<boolean> {
  const parts = unique(fullNames).map((fullName) => fullName.split('/', 2));
  const wanted = sql`select * from unnest(${parts.map(([owner]) => owner)}::text[], ${parts.map(([, name]) => name)}::text[])`;
  return sql<boolean>`(${columns}) in (${wanted})`;
}

const withOwners = (db: Db, ids: readonly Id<'repositories'>[]) =>
  allWithOwners(db).where(sql<boolean>`r.id = any(${ids}::bigint[])`);

const allWithOwners = (db: Db) =>
  db
    .selectFrom('repositories as r')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .selectAll('r')
    .select(['o.login as owner_login', 'o.kind as owner_kind', 'o.has_workflow_rules as owner_has_workflow_rules']);

type JoinedRow = RepositoryRow & { owner_login: string; owner_kind: Account['kind']; owner_has_workflow_rules: boolean };

const withOwner = ({
  owner_login: login,
  owner_kind: kind,
  owner_has_workflow_rules: has_workflow_rules,
  ...row
}: JoinedRow): RepositoryWithOwner => ({ ...row, owner: { login, kind, has_workflow_rules } });
