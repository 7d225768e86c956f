// Statements about browsers that read private websites.
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import { removeSome } from '#database/remove-some.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

type CodeRow = Selectable<DB['pages_codes']>;

/** Inserts a code, unless the session or the website has ended meanwhile. */
export const insertCode = (tx: Tx, row: Insertable<DB['pages_codes']>) =>
  sql`
  insert into pages_codes (hash, session_hash, repository_id, nonce_hash, return_path, expires_at)
  select ${row.hash}, b.hash, s.repository_id, ${row.nonce_hash}, ${row.return_path}, ${row.expires_at}
    from sessions b, pages_sites s
    where b.hash = ${row.session_hash} and s.repository_id = ${row.repository_id} for key share`.execute(tx);

/** Removes a code and returns it, so that it can be used only once. */
export const consumeCode = (tx: Tx, hash: Buffer): Promise<CodeRow | undefined> =>
  tx.deleteFrom('pages_codes').where('hash', '=', hash).returningAll().executeTakeFirst();

/**
 * Stores a session at a website, replacing the same browser's previous one; false if the website or its code no longer exists.
 */
export async function putSession(tx: Tx, row: Insertable<DB['pages_sessions']>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into pages_sessions (hash, session_hash, repository_id, expires_at)
    select ${row.hash}, b.hash, s.repository_id, ${row.expires_at}
      from sessions b, pages_sites s where b.hash = ${row.session_hash} and s.repository_id = ${row.repository_id} for key share
    on conflict (session_hash, repository_id) do update set hash = excluded.hash, expires_at = excluded.expires_at`.execute(tx);
  return numAffectedRows === 1n;
}

/** Ends all sessions at a website. */
export const removeReaders = (tx: Tx, repository: Id<'repositories'>) =>
  Promise.all([
    tx.deleteFrom('pages_codes').where('repository_id', '=', repository).execute(),
    tx.deleteFrom('pages_sessions').where('repository_id', '=', repository).execute(),
  ]);

/** Removes some of the codes that expired before a time. Returns whether there may be more. */
export const removeExpiredCodes = (tx: Tx, before: Date): Promise<boolean> =>
  removeSome(tx, 'pages_codes', sql`expires_at < ${before}`);

/** Removes some of the sessions that expired before a time. Returns whether there may be more. */
export const removeExpiredSessions = (tx: Tx, before: Date): Promise<boolean> =>
  removeSome(tx, 'pages_sessions', sql`expires_at < ${before}`);
