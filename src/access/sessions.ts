import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { addMinutes } from '#lib/time.ts';
import { scopes } from './scopes.ts';
import type { SignedIn } from './viewer.ts';

/** Administration needs a password that was entered at most so many minutes ago. */
const recentMinutes = 10;

/** The viewer of a browser's session. */
export type SessionViewer = SignedIn & { readonly grant: Extract<SignedIn['grant'], { kind: 'session' }> };

type FoundSession = {
  readonly viewer: SessionViewer;
  readonly lastUsedAt: Date | null;
};

/**
 * The session with this hash of its token; undefined if it has ended, or its account is suspended. No credential of the API has
 * the form of a session's token, so none becomes a session.
 */
export async function findSession(db: Db, hash: Buffer, now: Date): Promise<FoundSession | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('accounts')
    .select(['sessions.id as session', 'sessions.signed_in_at', 'sessions.last_used_at'])
    .where('sessions.hash', '=', hash)
    .where('sessions.expires_at', '>', now)
    .where('accounts.suspended_at', 'is', null)
    .executeTakeFirst();
  if (!row) return undefined;
  const { session, signed_in_at, last_used_at, ...account } = row;
  const isRecent = signed_in_at > addMinutes(now, -recentMinutes);
  return { viewer: { account, grant: sessionGrant(session, isRecent) }, lastUsedAt: last_used_at };
}

const sessionGrant = (sessionId: Id<'sessions'>, isRecent: boolean): SessionViewer['grant'] => ({
  kind: 'session',
  sessionId,
  scopes,
  isRecent,
});
