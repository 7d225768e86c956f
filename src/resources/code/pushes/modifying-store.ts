import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { RepositoryId } from '#lib/id.ts';

/** Bases that are looked at. A fork has pull requests into its source, and seldom into another one of its network. */
const maxBases = 10;

/**
 * The open pull requests of a user's fork that others may modify, whose authors still may write to it. As in the public API,
 * branches of an organization's fork are its own affair.
 */
const modifiable = (fork: RepositoryId) => sql`
  pull_requests p join issues i on i.id = p.issue_id
  where p.head_repository_id = ${fork} and p.repository_id <> ${fork} and p.maintainer_can_modify and not p.head_is_deleted
    and i.state = 'open' and exists (
      select from repository_roles role
      where role.repository_id = ${fork} and role.account_id = i.author_id and role.level >= 3)
    and exists (
      select from repositories r join accounts o on o.id = r.owner_id where r.id = ${fork} and o.kind = 'user')`;

/** The repositories into which pull requests of a fork go that others may modify. */
export async function listModifyingBases(db: Db, fork: RepositoryId): Promise<RepositoryId[]> {
  const { rows } = await sql<{ id: RepositoryId }>`
    select distinct p.repository_id as id from ${modifiable(fork)} order by id limit ${maxBases}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Those of some branches of a fork that are heads of such pull requests into these bases. */
export async function listModifiableRefs(
  db: Db,
  fork: RepositoryId,
  { bases, refs }: { bases: readonly RepositoryId[]; refs: readonly string[] },
): Promise<string[]> {
  if (bases.length === 0 || refs.length === 0) return [];
  const { rows } = await sql<{ ref: string }>`
    select distinct p.head_ref as ref from ${modifiable(fork)}
      and p.repository_id = any (${[...bases]}::bigint[]) and p.head_ref = any (${[...refs]}::text[])`.execute(db);
  return rows.map(({ ref }) => ref);
}
