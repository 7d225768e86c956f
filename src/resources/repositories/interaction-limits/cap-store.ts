import { sql } from 'kysely';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { CreationCap, CreationCapChange } from './schemas.ts';

type User = Id<'accounts'>;

/** The repository that a cap applies to, with its owner. */
export type CappedRepository = { readonly id: RepositoryId; readonly owner_id: User };

/** The default, if neither the repository nor its organization has set a number. */
const usual = 10;

/** The cap of a repository: its own, or its organization's. */
export async function findRepositoryCap(db: Db, { id, owner_id }: CappedRepository): Promise<CreationCap> {
  const { rows } = await sql<CreationCap>`
    select coalesce(c.is_enabled, o.pull_request_cap_enabled, false) as enabled,
      coalesce(c.max_open, o.max_open_pull_requests, ${usual}) as max_open_pull_requests
    from repositories r left join pull_request_caps c on c.repository_id = r.id
    left join organizations o on o.account_id = ${owner_id} where r.id = ${id}`.execute(db);
  return rows[0] ?? { enabled: false, max_open_pull_requests: usual };
}

/** Sets the cap of a repository. If the number is omitted, it stays, or becomes `before`. */
export async function putRepositoryCap(
  tx: Tx,
  repository_id: RepositoryId,
  { enabled, max_open_pull_requests }: CreationCapChange,
  before: number,
): Promise<CreationCap> {
  const { is_enabled, max_open } = await tx
    .insertInto('pull_request_caps')
    .values({ repository_id, is_enabled: enabled, max_open: max_open_pull_requests ?? before })
    .onConflict((conflict) =>
      conflict.column('repository_id').doUpdateSet({
        is_enabled: enabled,
        ...(max_open_pull_requests === undefined ? {} : { max_open: max_open_pull_requests }),
      }),
    )
    .returning(['is_enabled', 'max_open'])
    .executeTakeFirstOrThrow();
  return { enabled: is_enabled, max_open_pull_requests: max_open };
}

/** The users whom the cap of a repository doesn't apply to, at most 100. */
export const listBypasses = (db: Db, repository: RepositoryId): Promise<Account[]> =>
  db
    .selectFrom('accounts')
    .innerJoin('pull_request_cap_bypasses as b', 'b.user_id', 'accounts.id')
    .selectAll('accounts')
    .where('b.repository_id', '=', repository)
    .orderBy('accounts.id')
    .execute();

export async function isBypassing(db: Db, repository: RepositoryId, user: User): Promise<boolean> {
  const query = db.selectFrom('pull_request_cap_bypasses').select('user_id').where('repository_id', '=', repository);
  return (await query.where('user_id', '=', user).executeTakeFirst()) !== undefined;
}

export async function countBypasses(db: Db, repository: RepositoryId): Promise<number> {
  const query = db.selectFrom('pull_request_cap_bypasses').select(({ fn }) => fn.countAll<number>().as('count'));
  return (await query.where('repository_id', '=', repository).executeTakeFirstOrThrow()).count;
}

/** Adds users to the list. Returns those who weren't on it. */
export async function addBypasses(tx: Tx, repository: RepositoryId, users: readonly User[]): Promise<User[]> {
  const { rows } = await sql<{ user_id: User }>`
    insert into pull_request_cap_bypasses (repository_id, user_id)
    select ${repository}, u.id from unnest(${[...users]}::bigint[]) as u (id)
    on conflict do nothing returning user_id`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}

/** Removes users from the list. Returns those who were on it. */
export async function removeBypasses(tx: Tx, repository: RepositoryId, users: readonly User[]): Promise<User[]> {
  const { rows } = await sql<{ user_id: User }>`
    delete from pull_request_cap_bypasses
    where repository_id = ${repository} and user_id = any (${[...users]}::bigint[]) returning user_id`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}
