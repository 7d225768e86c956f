import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/** How many runners of an organization have static addresses, those that are being deleted among them. */
export async function countStaticIps(db: Db, organization: Id<'accounts'>): Promise<number> {
  const { count } = await db
    .selectFrom('hosted_runners')
    .select(sql<number>`count(*)`.as('count'))
    .where('organization_id', '=', organization)
    .where('static_ip', '=', true)
    .executeTakeFirstOrThrow();
  return count;
}
