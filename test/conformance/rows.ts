import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/** The contents of all tables, except for what every request records: when tokens were used, and how often limits refused. */
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

/** Recorded by any request, and therefore excluded as in `everyRow`. */
const isNoted = { table: 'limit_refusals', column: { table: 'tokens', name: 'last_used_at' } };

/**
 * Records all writes to any table with triggers. Returns a function that lists the writes since its last call, such as `INSERT
 * issues`. It takes one statement, regardless of the number of rows.
 */
export async function noteChanges(db: Db): Promise<() => Promise<string[]>> {
  await sql
    .raw(
      `do $do$
      declare
        name text;
        changed text;
      begin
        create table noted_changes (what text not null);
        create function note_change() returns trigger language plpgsql as $$ begin
          insert into noted_changes values (tg_op || ' ' || tg_table_name);
          return null;
        end $$;
        for name in select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
          and table_name not in ('${isNoted.table}', 'noted_changes') loop
          changed := case when name = '${isNoted.column.table}'
            then $$to_jsonb(old) - '${isNoted.column.name}' is distinct from to_jsonb(new) - '${isNoted.column.name}'$$
            else 'old::text is distinct from new::text' end;
          execute format('create trigger note_row after insert or delete on %I for each row execute function note_change()',
            name);
          execute format('create trigger note_update after update on %I for each row when (%s) execute function note_change()',
            name, changed);
          execute format(
            'create trigger note_truncate after truncate on %I for each statement execute function note_change()', name);
        end loop;
      end $do$`,
    )
    .execute(db);
  return async () => {
    const { rows } = await sql<{ what: string }>`delete from noted_changes returning what`.execute(db);
    return rows.map(({ what }) => what);
  };
}
