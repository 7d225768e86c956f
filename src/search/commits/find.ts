import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/** The ids of a repository's indexed commits that begin with these digits, for digits that match exactly one. */
export async function findIndexedCommits(db: Db, repository: Id<'repositories'>, prefixes: readonly string[]): Promise<string[]> {
  if (prefixes.length === 0) return [];
  const { rows } = await sql<{ oid: string }>`
    select distinct encode(found.oid, 'hex') as oid
    from unnest(${[...prefixes]}::text[]) as p (prefix), lateral (
      select min(oid) as oid from (
        select c.oid from indexed_commits c
        where c.repository_id = ${repository}
          and c.oid between decode(rpad(p.prefix, 40, '0'), 'hex') and decode(rpad(p.prefix, 40, 'f'), 'hex')
        limit 2) as candidates having count(*) = 1) as found
    order by oid`.execute(db);
  return rows.map(({ oid }) => oid);
}
