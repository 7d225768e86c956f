import type { RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';

/** A repository with its owner's login, as addresses below it need it. */
export type RepositoryWithOwner = RepositoryRow & { owner: { login: string } };

/**
 * The repositories of a page of things in them; one that is known needn't be loaded. It doesn't check who may read them: the list of the
 * things has.
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
