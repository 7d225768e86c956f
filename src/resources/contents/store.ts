import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

type Counted = { commit_oid: string; bytes: Record<string, number> };

export const findLanguages = (db: Db, repository: Id<'repositories'>): Promise<Counted | undefined> =>
  db
    .selectFrom('repository_languages')
    .select(['commit_oid', sql<Counted['bytes']>`bytes`.as('bytes')])
    .where('repository_id', '=', repository)
    .executeTakeFirst();

export const putLanguages = (tx: Tx, repository: Id<'repositories'>, { commit_oid, bytes }: Counted) =>
  tx
    .insertInto('repository_languages')
    .values({ repository_id: repository, commit_oid, bytes: JSON.stringify(bytes) })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet({ commit_oid, bytes: JSON.stringify(bytes) }))
    .execute();
