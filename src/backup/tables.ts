import pg from 'pg';
import { keyed } from '#lib/collections.ts';

/** A table with its writable columns, and the columns (`counters`) whose values come from a sequence. */
type BackupTable = { name: string; columns: string[]; counters: string[] };

/**
 * Tables that a backup leaves out. Refusals by limits are short-lived, the manifest lists migrations, and each installation has
 * its own id.
 */
const passing = ['installation', 'limit_refusals', 'rate_limits', 'schema_migrations'];

/** All tables, each after the tables that it refers to, so that a restore never inserts a row before its parent. */
export async function listTables(client: pg.ClientBase): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable>(
    `
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns,
      coalesce(array_agg(a.attname::text)
        filter (where a.attidentity <> '' or pg_get_expr(d.adbin, c.oid) like 'nextval(%'), '{}') as counters
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> all ($1)
    group by c.relname order by c.relname`,
    [passing],
  );
  const { rows: references } = await client.query<{ child: string; parent: string }>(`
    select child.relname as child, parent.relname as parent from pg_constraint f
    join pg_class child on child.oid = f.conrelid join pg_class parent on parent.oid = f.confrelid
    where f.contype = 'f' and child.oid <> parent.oid and child.relnamespace = 'public'::regnamespace`);
  return inOrder(rows, references);
}

function inOrder(tables: BackupTable[], references: readonly { child: string; parent: string }[]): BackupTable[] {
  const byName = keyed(tables, ({ name }) => name);
  const ordered = new Map<string, BackupTable>();
  const visit = (name: string, path: readonly string[]): void => {
    const table = byName.get(name);
    if (!table || ordered.has(name)) return;
    if (path.includes(name)) throw new Error(`Tables refer to each other in a circle: ${[...path, name].join(' → ')}`);
    for (const { child, parent } of references) if (child === name) visit(parent, [...path, name]);
    ordered.set(name, table);
  };
  for (const { name } of tables) visit(name, []);
  return [...ordered.values()];
}

/** The names of the applied migrations. Two databases with the same migrations have the same tables. */
export async function listMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by version');
  return rows.map(({ name }) => name);
}

export const quoted = (name: string): string => pg.escapeIdentifier(name);
