import { sql } from 'kysely';
import { addDays } from '#lib/time.ts';
import type { CheckContext, Diagnosis } from './diagnosis.ts';

const maxRows = 10;

type RefusalCount = { name: string; limit: string; count: number };

/** The callers that limits refused most often in the last day. This is information, never a problem. */
export async function refusals({ db }: Pick<CheckContext, 'db'>, now: Date): Promise<Diagnosis> {
  const rows = await listRefused(db, now);
  const named = rows.map(({ name, limit, count }) => `${name}: ${count} by ${limit}`);
  return { check: 'limits', ok: true, detail: named.length === 0 ? 'nobody exceeded them in the last day' : named.join('; ') };
}

/** The callers by login, app or address. Deleted callers appear with their key. */
async function listRefused(db: CheckContext['db'], now: Date): Promise<RefusalCount[]> {
  const { rows } = await sql<RefusalCount>`
    with most as (
      select caller, limit_name as "limit", sum(count)::bigint as count,
        split_part(caller, ':', 1) as kind,
        substring(caller from '^(?:account|app|installation|deploy_key):(\\d{1,18})$')::bigint as id
      from limit_refusals where hour > ${addDays(now, -1)}
      group by caller, limit_name order by count desc, caller, limit_name limit ${maxRows})
    select m."limit", m.count, coalesce(
      (select a.login from accounts a where m.kind = 'account' and a.id = m.id),
      (select 'app ' || p.slug from apps p where m.kind = 'app' and p.id = m.id),
      (select 'app ' || p.slug || ' on ' || a.login
        from installations i join apps p on p.id = i.app_id join accounts a on a.id = i.account_id
        where m.kind = 'installation' and i.id = m.id),
      (select 'deploy key of ' || a.login || '/' || r.name from public_keys k join repositories r on r.id = k.repository_id
          join accounts a on a.id = r.owner_id
        where m.kind = 'deploy_key' and k.id = m.id),
      regexp_replace(m.caller, '^address:', '')) as name
    from most m order by m.count desc, m.caller, m."limit"`.execute(db);
  return rows;
}
