// The statements of reviews by the assistant. A queued review is due at a time. A process that works on one postpones that time,
// so that another process takes the review over if the first one is killed.
import { type Insertable, type Selectable, sql } from 'kysely';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type AssistantReviewRow = Selectable<DB['assistant_reviews']>;

type Review = Id<'assistant_reviews'>;

export const insertReviewRequest = (tx: Tx, row: Insertable<DB['assistant_reviews']>) =>
  tx.insertInto('assistant_reviews').values(row).execute();

export async function countQueued(db: Db, organization: Id<'accounts'>): Promise<number> {
  const query = db.selectFrom('assistant_reviews').select(({ fn }) => fn.countAll<number>().as('count'));
  const { count } = await query
    .where('organization_id', '=', organization)
    .where('state', '=', 'queued')
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether a review of a pull request was ever requested. */
export async function wasRequested(db: Db, issue: Id<'issues'>): Promise<boolean> {
  const found = await db.selectFrom('assistant_reviews').select('id').where('issue_id', '=', issue).limit(1).executeTakeFirst();
  return found !== undefined;
}

/** Cancels the queued reviews of a pull request. */
export const cancelQueued = (tx: Tx, issue: Id<'issues'>, { problem, now }: { problem: string; now: Date }) =>
  tx
    .updateTable('assistant_reviews')
    .set({ state: 'cancelled', due_at: null, problem, completed_at: now })
    .where('issue_id', '=', issue)
    .where('state', '=', 'queued')
    .execute();

/**
 * Leases due reviews until a time: the oldest of each organization, except of `busy` ones. Each lease is an attempt.
 */
export async function leaseReviews(
  db: Db,
  { limit, busy, now, until }: { limit: number; busy: readonly Id<'accounts'>[]; now: Date; until: Date },
): Promise<AssistantReviewRow[]> {
  const { rows } = await sql<AssistantReviewRow>`
    with first as (
      select distinct on (organization_id) id, due_at from assistant_reviews
      where state = 'queued' and due_at <= ${now} and organization_id <> all (${busy}::bigint[])
      order by organization_id, due_at, id
    ), due as (
      select id from assistant_reviews where id in (select id from first) and state = 'queued' and due_at <= ${now}
      order by due_at, id limit ${limit} for no key update skip locked
    )
    update assistant_reviews r set due_at = ${until}, attempts = r.attempts + 1
    from due where due.id = r.id returning r.*`.execute(db);
  return rows;
}

/** Reads a queued review again and locks its row; undefined if it has ended, or another process has taken it over. */
export const findLeasedForUpdate = (tx: Tx, { id, attempts }: AssistantReviewRow): Promise<AssistantReviewRow | undefined> =>
  tx
    .selectFrom('assistant_reviews')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('attempts', '=', attempts)
    .forNoKeyUpdate()
    .executeTakeFirst();

type Ending = Pick<AssistantReviewRow, 'problem'> & { readonly state: 'done' | 'failed' | 'cancelled'; readonly now: Date };

/** Ends a review. Its repository may have another owner or name than when the review was requested. */
export const endReview = (tx: Tx, id: Review, { state, problem, now }: Ending, repo?: RepositoryRow) =>
  tx
    .updateTable('assistant_reviews')
    .set({
      state,
      problem,
      due_at: null,
      completed_at: now,
      ...(repo ? { organization_id: repo.owner_id, repository_id: repo.id, repository_name: repo.name } : {}),
    })
    .where('id', '=', id)
    .execute();

/** Postpones a review to its next attempt, if this process still has the lease. */
export const postponeReview = (
  db: Db,
  { id, attempts }: AssistantReviewRow,
  { problem, dueAt }: { problem: string; dueAt: Date },
) =>
  db
    .updateTable('assistant_reviews')
    .set({ problem, due_at: dueAt })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('attempts', '=', attempts)
    .execute();

/** Returns a leased review to the queue, as if it had not been taken. */
export const returnReview = (db: Db, { id, attempts }: AssistantReviewRow, now: Date) =>
  db
    .updateTable('assistant_reviews')
    .set({ attempts: attempts - 1, due_at: now })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('attempts', '=', attempts)
    .execute();
