import { sql } from 'kysely';
import type { Db } from './connect.ts';

/** The columns whose values are sealed under the secret key. A test compares the list with the schema. */
export const sealedColumns = [
  { table: 'actions_secrets', column: 'value' },
  { table: 'encryption_keys', column: 'private_key' },
  { table: 'identity_keys', column: 'private_key' },
  { table: 'job_registry_secrets', column: 'secrets' },
  { table: 'private_registries', column: 'secret' },
  { table: 'secret_alerts', column: 'secret' },
  { table: 'webhooks', column: 'secret_sealed' },
  { table: 'webhooks', column: 'password_sealed' },
] as const;

/** The newest value of each sealed column that has any. */
export async function newestSealedValues(db: Db): Promise<Buffer[]> {
  const newest = sealedColumns.map(
    ({ table, column }) =>
      sql`(select ${sql.ref(column)} as sealed from ${sql.table(table)}
        where ${sql.ref(column)} is not null order by id desc limit 1)`,
  );
  const { rows } = await sql<{ sealed: Buffer }>`${sql.join(newest, sql` union all `)}`.execute(db);
  return rows.map(({ sealed }) => sealed);
}
