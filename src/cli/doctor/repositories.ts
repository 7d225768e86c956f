import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkRepository } from '#git/maintenance/maintenance.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRefOids } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { keyed } from '#lib/collections.ts';
import { progressBar } from '../progress.ts';
import { type CheckContext, type Diagnosis, listRepositories, reasonOf, someOf } from './diagnosis.ts';

/** Longer than any push takes. A job checks unfinished pushes every minute. */
const maxPushMs = 2 * 60 * 60 * 1000;

/** Checks that the results of all pushes are recorded. */
export async function pushes({ db }: CheckContext, now: Date): Promise<Diagnosis> {
  const rows = await db
    .selectFrom('ref_changes as c')
    .innerJoin('repositories as r', 'r.id', 'c.repository_id')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .select(['r.id', 'r.name', 'o.login'])
    .distinct()
    .where('c.started_at', '<', new Date(now.getTime() - maxPushMs))
    .orderBy('r.id')
    .execute();
  const unfinished = someOf(rows.map(({ login, name }) => `${login}/${name}`));
  const detail = unfinished === '' ? 'all recorded' : `not recorded for more than two hours, in ${unfinished}`;
  return { check: 'pushes', ok: unfinished === '', detail };
}

/** Checks all objects of all repositories. */
export async function objects({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const repositories = await listRepositories(db);
  const bar = await progressBar();
  const broken: string[] = [];
  for (const [at, { id, name }] of repositories.entries()) {
    bar.show('Reading objects', at, repositories.length);
    const problem = await problemOfObjects(repoOf(hearth.services.git, id));
    if (problem !== undefined) broken.push(`${name}: ${problem}`);
  }
  bar.end();
  const ok = broken.length === 0;
  return { check: 'objects', ok, detail: ok ? 'every object is whole' : someOf(broken, '; ') };
}

/** The first problem of a repository's objects. That Git can't read the repository at all counts too. */
async function problemOfObjects(repo: GitRepository): Promise<string | undefined> {
  try {
    return (await problemOfPacks(repo)) ?? (await checkRepository(repo))[0];
  } catch (error) {
    return reasonOf(error);
  }
}

/** Git overlooks an index without its pack, and a pack without its index. */
async function problemOfPacks({ path }: GitRepository): Promise<string | undefined> {
  const names = new Set(await readdir(join(path, 'objects', 'pack')));
  const halves = [...names].flatMap((name) => {
    const [, stem, kind] = /^(pack-[0-9a-f]+)\.(pack|idx)$/.exec(name) ?? [];
    if (stem === undefined) return [];
    const other = `${stem}.${kind === 'pack' ? 'idx' : 'pack'}`;
    return names.has(other) ? [] : [`${other} is missing`];
  });
  return halves[0];
}

/**
 * Checks that the indexes have the newest commit of each default branch. After a restore, repositories may have newer commits
 * than the index rows.
 */
export async function newest({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const rows = await db
    .selectFrom('repositories as r')
    .leftJoin('code_indexes as f', 'f.repository_id', 'r.id')
    .leftJoin('commit_indexes as c', 'c.repository_id', 'r.id')
    .select(['r.id', 'f.commit_oid as files', 'c.commit_oid as commits'])
    .execute();
  const indexed = keyed(rows, ({ id }) => id);
  const behind: string[] = [];
  const unreadable: string[] = [];
  for (const { id, name, default_branch } of await listRepositories(db)) {
    try {
      const repo = repoOf(hearth.services.git, id);
      if (!(await repositoryExists(repo))) continue;
      const [tip] = (await findRefOids(repo, [branchRef(default_branch)])).values();
      const { files, commits } = indexed.get(id) ?? {};
      if (tip !== undefined && (files !== tip || commits !== tip)) behind.push(name);
    } catch (error) {
      unreadable.push(`${name} can't be read (${reasonOf(error)})`);
    }
  }
  const problems = [...(behind.length > 0 ? [`not indexed: ${someOf(behind)}`] : []), ...unreadable];
  const ok = problems.length === 0;
  return { check: 'newest commits', ok, detail: ok ? 'all indexed' : someOf(problems, '; ') };
}
