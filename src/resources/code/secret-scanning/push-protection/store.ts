import { type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type PlaceholderRow = Selectable<DB['secret_placeholders']>;

type BypassKey = { readonly repository: Id<'repositories'>; readonly digests: readonly Buffer[] };

/** Bypasses of secrets with these digests, expired ones too, the latest first. */
export const listBypasses = (db: Db, { repository, digests }: BypassKey): Promise<PlaceholderRow[]> =>
  db
    .selectFrom('secret_placeholders')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('digest', 'in', digests)
    .where('bypassed_at', 'is not', null)
    .orderBy('bypassed_at', 'desc')
    .execute();

/**
 * Of these digests, those that somebody may push: they are in files already, as an alert tells, or the actor has a bypass that is
 * in force. What is in texts alone may not be pushed: anybody could let a secret in by a comment.
 */
export async function listPushable(
  db: Db,
  { repository, digests, account, now }: BypassKey & { account: Id<'accounts'> | undefined; now: Date },
): Promise<Buffer[]> {
  const { rows } = await sql<{ digest: Buffer }>`
    select a.digest from secret_alerts a where a.repository_id = ${repository} and a.digest = any (${[...digests]}::bytea[])
      and exists (select from secret_locations l where l.alert_id = a.id and l.part is null)
    union
    select digest from secret_placeholders where repository_id = ${repository} and digest = any (${[...digests]}::bytea[])
      and account_id = ${account ?? null} and expires_at > ${now}`.execute(db);
  return rows.map(({ digest }) => digest);
}

type NewPlaceholder = Pick<PlaceholderRow, 'id' | 'repository_id' | 'account_id' | 'secret_type' | 'digest' | 'created_at'>;

/** Stores what kept somebody from pushing. What did so before keeps its placeholder. */
export const insertPlaceholders = (db: Db, rows: readonly NewPlaceholder[]) =>
  db
    .insertInto('secret_placeholders')
    .values(rows)
    .onConflict((clash) => clash.doNothing())
    .execute();

/** The placeholders that an account has already for secrets with these digests. */
export const listPlaceholders = (
  db: Db,
  { repository, digests, account }: BypassKey & { account: Id<'accounts'> },
): Promise<Pick<PlaceholderRow, 'id' | 'secret_type' | 'digest'>[]> =>
  db
    .selectFrom('secret_placeholders')
    .select(['id', 'secret_type', 'digest'])
    .where('repository_id', '=', repository)
    .where('account_id', '=', account)
    .where('digest', 'in', digests)
    .execute();

/** A placeholder of somebody's push, its row locked until the transaction ends. */
export const findPlaceholderForUpdate = (
  tx: Tx,
  repository: OrSql<Id<'repositories'>>,
  { account, id }: { account: Id<'accounts'>; id: string },
): Promise<PlaceholderRow | undefined> =>
  tx
    .selectFrom('secret_placeholders')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

export const updatePlaceholder = (tx: Tx, id: string, change: Pick<PlaceholderRow, 'reason' | 'bypassed_at' | 'expires_at'>) =>
  tx.updateTable('secret_placeholders').set(change).where('id', '=', id).execute();
