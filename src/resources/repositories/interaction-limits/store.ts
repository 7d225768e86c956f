import { type Insertable, type Selectable, sql } from 'kysely';
import { limitInForce } from '#access/interaction-limits.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type LimitRow = Selectable<DB['interaction_limits']>;

/** The repository or account that a limit is set on. */
export type LimitParent =
  | { readonly column: 'organization_id'; readonly id: Id<'accounts'> }
  | { readonly column: 'repository_id'; readonly id: Id<'repositories'> };

/** The limit in force in a repository or an organization. `owner` is the repository's owner, whose limit takes precedence. */
export async function findLimit(
  db: Db,
  { owner, repository }: { owner: Id<'accounts'>; repository?: Id<'repositories'> | undefined },
  now: Date,
): Promise<LimitRow | undefined> {
  const columns = { organization: sql`${owner}`, repository: sql`${repository ?? null}` };
  const { rows } = await sql<LimitRow>`select * from ${limitInForce(columns, now)} l`.execute(db);
  return rows[0];
}

type Limit = Pick<Insertable<DB['interaction_limits']>, 'interaction_group' | 'expires_at'>;

/** Sets a limit, replacing the former one. */
export const putLimit = (tx: Tx, parent: LimitParent, limit: Limit): Promise<LimitRow> =>
  tx
    .insertInto('interaction_limits')
    .values({ [parent.column]: parent.id, ...limit })
    .onConflict((conflict) => conflict.column(parent.column).doUpdateSet(limit))
    .returningAll()
    .executeTakeFirstOrThrow();

/** Removes the limit that was set here, in force or expired; undefined if no limit was set. */
export const removeLimit = (tx: Tx, parent: LimitParent): Promise<LimitRow | undefined> =>
  tx.deleteFrom('interaction_limits').where(parent.column, '=', parent.id).returningAll().executeTakeFirst();
