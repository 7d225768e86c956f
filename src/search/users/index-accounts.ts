import { sql } from 'kysely';
import { change, type Db, type Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { analyserVersion, identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { wordsColumn } from '#search/words-column.ts';
import { type IndexedField, indexedFields, lexemeOf } from './lexemes.ts';

type Account = { id: Id<'accounts'>; kind: string } & Readonly<Record<IndexedField, string | null>>;

/**
 * Updates the index of accounts in the transaction that changes them. A profile is short, so this takes one statement. Bots
 * aren't indexed.
 */
export async function indexAccounts(tx: Tx, accounts: readonly Account[]): Promise<void> {
  const rows = accounts
    .filter(({ kind }) => kind !== 'bot')
    .map((account) => ({ account_id: account.id, analyser: analyserVersion, words: wordsOf(account) }));
  if (rows.length === 0) return;
  await tx
    .insertInto('account_words')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet((eb) => ({ analyser: eb.ref('excluded.analyser'), words: eb.ref('excluded.words') })),
    )
    .execute();
}

const wordsOf = (account: Account): string =>
  wordsColumn([
    ...new Set(
      indexedFields.flatMap((field) =>
        identifiersOf(account[field] ?? '')
          .flatMap(lexemesOf)
          .map(lexemeOf[field]),
      ),
    ),
  ]);

/** Whether a change of an account changes its words. */
export const changesWords = (change: object): boolean => indexedFields.some((field) => field in change);

const batchSize = 500;

type Which = {
  /** Whether to index accounts that are up to date too. */
  all?: boolean;
};

/**
 * Indexes the accounts that aren't indexed with the current version of the analyser, for example after an upgrade. Returns their
 * number.
 */
export async function indexStaleAccounts(db: Db, { all = false }: Which = {}): Promise<number> {
  for (let done = 0, after = 0; ; ) {
    const batch = await change(db, (tx) => indexBatch(tx, after, all));
    done += batch.length;
    after = batch.at(-1)?.id ?? after;
    if (batch.length < batchSize) return done;
  }
}

/** The rows stay locked, so that a profile can't change between reading and indexing it. */
async function indexBatch(tx: Tx, after: number, all: boolean): Promise<Account[]> {
  const { rows } = await sql<Account>`
    select a.id, a.kind, a.login, a.name, a.email, a.location
    from accounts a left join account_words w on w.account_id = a.id
    where a.id > ${after} and a.kind in ('user', 'organization') and (${all} or w.analyser is distinct from ${analyserVersion})
    order by a.id limit ${batchSize} for share of a`.execute(tx);
  await indexAccounts(tx, rows);
  return rows;
}
