import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/** What every table holds, but for what is noted of every request: when tokens were used, and how often limits refused. */
export async function everyRow(db: Db): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'limit_refusals' order by table_name`.execute(
    db,
  );
  const sums = await Promise.all(
    tables.map(async ({ name }) => {
      const row = name === 'tokens' ? sql`(to_jsonb(t) - 'last_used_at')::text` : sql`t::text`;
      const { rows } = await sql<{ sum: string | null }>`
        select md5(string_agg(${row}, '|' order by ${row})) as sum from ${sql.table(name)} t`.execute(db);
      return `${name} ${rows[0]?.sum ?? 'empty'}`;
    }),
  );
  return sums.join('\n');
}
