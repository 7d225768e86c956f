import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkRepository } from '#git/maintenance/maintenance.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { counted } from '../command.ts';
import { progressBar } from '../progress.ts';
import type { CheckContext, Diagnosis } from './diagnosis.ts';

/** Checks that every repository has a folder, and lists folders without a repository. */
export async function folders({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const { git } = hearth.services;
  // Folders are read first, so that repositories that are created meanwhile have a row.
  const folderIds: number[] = [];
  for (const shard of (await readdir(git.root)).filter((name) => /^\d+$/.test(name)))
    for (const name of await readdir(join(git.root, shard))) folderIds.push(Number.parseInt(name, 10));
  const rows = await db.selectFrom('repositories').select('id').execute();
  const known = new Set<number>(rows.map(({ id }) => id));
  const missing: number[] = [];
  for (const id of known) if (!(await repositoryExists(repoOf(git, id)))) missing.push(id);
  const extra = folderIds.filter((id) => !known.has(id));
  const detail = [counted(known.size, 'repository', 'repositories')];
  if (missing.length > 0) detail.push(`no folder: ${missing.join(', ')}`);
  // Left by a deletion in progress or an interrupted creation. They are harmless, since ids are never reused.
  if (extra.length > 0) detail.push(`folders without a repository: ${extra.join(', ')}`);
  return { check: 'repositories', ok: missing.length === 0, detail: detail.join('; ') };
}

/** Longer than any push takes. A job checks unfinished pushes every minute. */
const maxPushMs = 2 * 60 * 60 * 1000;

/** Checks that the results of all pushes are recorded. */
export async function pushes({ db }: CheckContext, now: Date): Promise<Diagnosis> {
  const rows = await db
    .selectFrom('ref_changes')
    .select('repository_id')
    .distinct()
    .where('started_at', '<', new Date(now.getTime() - maxPushMs))
    .orderBy('repository_id')
    .execute();
  const unfinished = rows.map(({ repository_id }) => repository_id).join(', ');
  const detail = unfinished === '' ? 'all recorded' : `not recorded for more than two hours, in the repositories ${unfinished}`;
  return { check: 'pushes', ok: unfinished === '', detail };
}

/** Checks all objects of all repositories. */
export async function objects({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const rows = await db.selectFrom('repositories').select('id').orderBy('id').execute();
  const bar = await progressBar();
  const broken: string[] = [];
  for (const [at, { id }] of rows.entries()) {
    bar.show('Reading objects', at, rows.length);
    const [problem] = await checkRepository(repoOf(hearth.services.git, id));
    if (problem) broken.push(`${id}: ${problem}`);
  }
  bar.end();
  return { check: 'objects', ok: broken.length === 0, detail: broken.length === 0 ? 'every object is whole' : broken.join('; ') };
}

/**
 * Checks that the indexes have the newest commit of each default branch. After a restore, repositories may have newer commits than
 * the index rows.
 */
export async function newest({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const rows = await db
    .selectFrom('repositories as r')
    .leftJoin('code_indexes as f', 'f.repository_id', 'r.id')
    .leftJoin('commit_indexes as c', 'c.repository_id', 'r.id')
    .select(['r.id', 'r.default_branch', 'f.commit_oid as files', 'c.commit_oid as commits'])
    .orderBy('r.id')
    .execute();
  const behind: number[] = [];
  for (const { id, default_branch, files, commits } of rows) {
    const repo = repoOf(hearth.services.git, id);
    if (!(await repositoryExists(repo))) continue;
    const [tip] = (await findRefOids(repo, [branchRef(default_branch)])).values();
    if (tip !== undefined && (files !== tip || commits !== tip)) behind.push(id);
  }
  const ok = behind.length === 0;
  return { check: 'newest commits', ok, detail: ok ? 'all indexed' : `not indexed, in the repositories ${behind.join(', ')}` };
}
