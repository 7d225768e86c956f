import type { RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';

/** A repository with its owner's login, as addresses below it need it. */
export type RepositoryWithOwner = RepositoryRow & { owner: { login: string } };

/**
 * The repositories to which the rows of a page belong. `known` is one that was loaded before. Access isn't checked, since the query
 * of the rows has checked it.
 */
export async function loadNamedRepositories(
  db: Db,
  ids: readonly Id<'repositories'>[],
  known?: RepositoryWithOwner,
): Promise<Map<Id<'repositories'>, RepositoryWithOwner>> {
  const wanted = unique(ids).filter((id) => id !== known?.id);
  const loaded = wanted.length === 0 ? [] : await loadByIds(db, wanted);
  return keyed(known ? [...loaded, known] : loaded, ({ id }) => id);
}

async function loadByIds(db: Db, ids: Id<'repositories'>[]): Promise<RepositoryWithOwner[]> {
  const rows = await db
    .selectFrom('repositories')
    .innerJoin('accounts', 'accounts.id', 'repositories.owner_id')
    .selectAll('repositories')
    .select('accounts.login as owner_login')
    .where('repositories.id', 'in', ids)
    .execute();
  return rows.map(({ owner_login: login, ...row }) => ({ ...row, owner: { login } }));
}
