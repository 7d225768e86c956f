// What pages show of apps: who lets them act, and where they are installed.
import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/** More apps than these aren't shown. */
const most = 200;

type AuthorizedApp = {
  slug: string;
  name: string;
  kind: 'app' | 'oauth';
  scopes: string[];
  permissions: unknown;
  authorized_at: Date;
  last_used_at: Date | null;
  tokens: number;
};

/** The apps that hold tokens with which they act for an account. */
export async function listAuthorizedApps(db: Db, account: Id<'accounts'>, now: Date): Promise<AuthorizedApp[]> {
  const { rows } = await sql<AuthorizedApp>`
    select a.slug, a.name, a.kind, a.permissions, min(t.created_at) as authorized_at, max(t.last_used_at) as last_used_at,
      count(distinct t.id)::int as tokens,
      coalesce(array_agg(distinct s.scope order by s.scope) filter (where s.scope is not null), '{}') as scopes
    from tokens t join apps a on a.id = t.app_id left join lateral unnest(t.scopes) as s (scope) on true
    where t.account_id = ${account} and t.kind in ('oauth_app', 'app_user')
      and (t.expires_at is null or t.expires_at > ${now}
        or exists (select from refresh_tokens r where r.token_id = t.id and r.expires_at > ${now}))
    group by a.id order by lower(a.name), a.id limit ${sql.lit(most)}`.execute(db);
  return rows;
}
