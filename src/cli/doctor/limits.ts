import { sql } from 'kysely';
import { addDays } from '#lib/time.ts';
import type { Diagnosis, Examined } from './diagnosis.ts';

const maxNamed = 10;

type Refused = { name: string; limit: string; count: number };

/** Who was refused by limits most often in the last day. That is for the administrator to know, and nothing is wrong with Hearth. */
export async function refusals({ db }: Pick<Examined, 'db'>, now: Date): Promise<Diagnosis> {
  const rows = await listRefused(db, now);
  const named = rows.map(({ name, limit, count }) => `${name}: ${count} by ${limit}`);
  return { check: 'limits', ok: true, detail: named.length === 0 ? 'nobody exceeded them in the last day' : named.join('; ') };
}

/** Callers by what people know them by: a login, an app, or an address. What is gone keeps its key. */
async function listRefused(db: Examined['db'], now: Date): Promise<Refused[]> {
  const { rows } = await sql<Refused>`
    with most as (
      select caller, limit_name as "limit", sum(count)::bigint as count,
        split_part(caller, ':', 1) as kind, substring(caller from '^(?:account|app|installation):(\\d{1,18})$')::bigint as id
      from limit_refusals where hour > ${addDays(now, -1)}
      group by caller, limit_name order by count desc, caller, limit_name limit ${maxNamed})
    select m."limit", m.count, coalesce(
      (select a.login from accounts a where m.kind = 'account' and a.id = m.id),
      (select 'app ' || p.slug from apps p where m.kind = 'app' and p.id = m.id),
      (select 'app ' || p.slug || ' on ' || a.login from installations i join apps p on p.id = i.app_id join accounts a on a.id = i.account_id
        where m.kind = 'installation' and i.id = m.id),
      regexp_replace(m.caller, '^address:', '')) as name
    from most m order by m.count desc, m.caller, m."limit"`.execute(db);
  return rows;
}
