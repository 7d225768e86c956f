import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';

/**
 * What a schema consists of, each kind by a query whose lines are compared. A line has a place where PostgreSQL acts on an order:
 * that of columns, of a table's indexes, of its foreign keys and of those that refer to it.
 */
const kinds: Record<string, string> = {
  relations: `
    select concat_ws(' ', c.relkind, c.relname, c.relpersistence, c.reloptions::text, t.reloptions::text, c.relreplident,
      c.relrowsecurity, c.relforcerowsecurity, c.relispartition, c.relacl::text, c.reltablespace, m.amname)
    from pg_class c left join pg_class t on t.oid = c.reltoastrelid left join pg_am m on m.oid = c.relam
    where c.relnamespace = 'public'::regnamespace`,
  columns: `
    select concat_ws(' ', c.relname, row_number() over (partition by c.oid order by a.attnum), a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attcollation::regcollation,
      a.attstorage, a.attcompression, a.attstattarget, a.attoptions::text,
      a.attacl::text, pg_get_expr(d.adbin, d.adrelid))
    from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped`,
  constraints: `
    select concat_ws(' ', conrelid::regclass, conname, contype, pg_get_constraintdef(oid), convalidated, conindid::regclass,
      conislocal, connoinherit,
      case contype when 'f' then row_number() over (partition by contype, conrelid order by oid) end,
      case contype when 'f' then row_number() over (partition by contype, confrelid order by oid) end)
    from pg_constraint where connamespace = 'public'::regnamespace`,
  indexes: `
    select concat_ws(' ', pg_get_indexdef(indexrelid), row_number() over (partition by indrelid order by indexrelid), indisvalid,
      indisclustered, indisreplident)
    from pg_index where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`,
  views: `select viewname || ' ' || definition from pg_views where schemaname = 'public'`,
  functions: `
    select pg_get_functiondef(oid) || coalesce(proacl::text, '') from pg_proc
    where pronamespace = 'public'::regnamespace and prokind <> 'a'`,
  triggers: `
    select concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled, row_number() over (partition by t.tgrelid order by t.tgname))
    from pg_trigger t where not t.tgisinternal`,
  sequences: `
    select concat_ws(' ', s.*, d.refobjid::regclass, d.refobjsubid is not null, d.deptype)
    from pg_sequences s left join pg_depend d on d.classid = 'pg_class'::regclass
      and d.objid = quote_ident(s.sequencename)::regclass and d.deptype in ('a', 'i')
    where s.schemaname = 'public'`,
  types: `
    select concat_ws(' ', typname, typtype, typcategory) from pg_type where typnamespace = 'public'::regnamespace`,
  others: `
    select 'extension ' || extname || ' ' || extversion from pg_extension
    union all select 'policy ' || polname || ' ' || polrelid::regclass from pg_policy
    union all select 'rule ' || rulename || ' ' || definition from pg_rules where schemaname = 'public'
    union all select 'statistics ' || pg_get_statisticsobjdef(oid) from pg_statistic_ext
      where stxnamespace = 'public'::regnamespace
    union all select 'event trigger ' || evtname from pg_event_trigger
    union all select 'inheritance ' || inhrelid::regclass || ' ' || inhparent::regclass from pg_inherits
      where inhrelid::regclass::text not like 'pg\\_%'
    union all select 'privileges ' || defaclacl::text from pg_default_acl
    union all select 'comment ' || obj_description(objoid, classoid::regclass::name) from pg_description
      where objoid >= 16384
    union all select concat_ws(' ', 'object', classid::regclass, count(*)) from pg_depend
      where refclassid = 'pg_namespace'::regclass and refobjid = 'public'::regnamespace group by classid`,
};

/** The catalogue of the schema `public` and the rows of all its tables. */
export async function readCatalogue(db: Db): Promise<Record<string, string[]>> {
  const catalogue: Record<string, string[]> = { rows: await readRows(db) };
  for (const [kind, query] of Object.entries(kinds)) {
    const { rows } = await sql<{ line: string }>`select line from (${sql.raw(query)}) lines (line)`.execute(db);
    catalogue[kind] = rows.map(({ line }) => line).sort();
  }
  return catalogue;
}

async function readRows(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(db);
  const lines: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: object }>`select to_jsonb(t) as row from ${sql.table(name)} t`.execute(db);
    lines.push(...rows.map(({ row }) => `${name} ${JSON.stringify(row).replace(times, written).replace(ids, '"id"')}`));
  }
  return lines.sort();
}

const times = /"(\d{4}-\d\d-\d\dT[^"]*)"/g;
const ids = /"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}"/g;
const hour = 3_600_000;

/** The time of a migration differs from database to database; another time doesn't. */
const written = (text: string, time: string): string => (Date.now() - Date.parse(time) < hour ? '"now"' : text);
