import type { RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';

/** A repository with its owner's login, as addresses below it need it. */
export type RepositoryWithOwner = RepositoryRow & { owner: { login: string } };

/** The repositories of a page of things in them. It doesn't check who may read them: the list of the things has. */
export async function loadNamedRepositories(
  db: Db,
  ids: readonly Id<'repositories'>[],
): Promise<Map<Id<'repositories'>, RepositoryWithOwner>> {
  const rows = await db
    .selectFrom('repositories')
    .innerJoin('accounts', 'accounts.id', 'repositories.owner_id')
    .selectAll('repositories')
    .select('accounts.login as owner_login')
    .where('repositories.id', 'in', unique(ids))
    .execute();
  return keyed(
    rows.map(({ owner_login: login, ...row }) => ({ ...row, owner: { login } })),
    (row) => row.id,
  );
}
