import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { findMissingRefs } from '#git/refs/missing-refs.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { chunks } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { type CheckContext, type Diagnosis, listRepositories, type NamedRepository, reasonOf, someOf } from './diagnosis.ts';

const batchSize = 32;

/** Refs that the database knows: the default branch whose commit is indexed, and the heads of pull requests. */
type Known = { branch: boolean; pulls: number[]; pushed: boolean };

/** Checks that repositories have the refs that the database knows. The file of packed refs may be lost or empty. */
export async function refs({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const problems: string[] = [];
  for (const some of chunks(await listRepositories(db), batchSize)) {
    const known = await loadKnown(
      db,
      some.map(({ id }) => id),
    );
    const found = await Promise.all(
      some.map((repository) => problemOfRefs({ db, hearth }, repository, known.get(repository.id)).catch(reasonOf)),
    );
    for (const [at, problem] of found.entries()) if (problem !== undefined) problems.push(`${some[at]?.name}: ${problem}`);
  }
  const ok = problems.length === 0;
  return { check: 'refs', ok, detail: ok ? 'none is lost' : someOf(problems, '; ') };
}

async function problemOfRefs(
  { db, hearth }: CheckContext,
  { id, default_branch }: NamedRepository,
  known: Known | undefined,
): Promise<string | undefined> {
  const repo = repoOf(hearth.services.git, id);
  // If the folder is missing, the check of folders reports it.
  if (!known || !(await repositoryExists(repo))) return undefined;
  const pulls = known.pulls.map((number) => `refs/pull/${number}/head`);
  const expected = [...(known.branch ? [branchRef(default_branch)] : []), ...pulls];
  const { missing, isEmpty } = await findMissingRefs(repo, expected);
  if (isEmpty && (expected.length > 0 || (known.pushed && (await endsWithRef(db, id))))) return 'all refs are gone';
  return missing.length === 0 ? undefined : `${someOf(missing)} ${missing.length === 1 ? 'is' : 'are'} gone`;
}

async function loadKnown(db: Db, ids: readonly Id<'repositories'>[]): Promise<Map<number, Known>> {
  const { rows } = await sql<Known & { id: number }>`
    select r.id, r.pushed_at is not null as pushed,
      exists (select from code_indexes c
        where c.repository_id = r.id and c.branch = r.default_branch and c.commit_oid is not null) as branch,
      -- Tests of a merge write the ref; imported pull requests may have none.
      array(select i.number from pull_requests p join issues i on i.id = p.issue_id
        where p.repository_id = r.id and p.tested_head_sha is not null order by i.number) as pulls
    from repositories r where r.id = any(${ids})`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the last push to a repository left a ref. After a push that deletes the last ref, an empty repository is correct. */
async function endsWithRef(db: Db, id: Id<'repositories'>): Promise<boolean> {
  const { rows } = await sql<{ leaves: boolean }>`
    select exists (select from jsonb_array_elements(data->'moves') move where move->>'after' is not null) as leaves
    from events where repository_id = ${id} and kind = 'push' order by id desc limit 1`.execute(db);
  return rows[0]?.leaves ?? false;
}
