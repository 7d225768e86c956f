// Loads advisories from the folder that the operator names, in the background: files that are new or have changed.

import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { job } from '#jobs/job.ts';
import { chunks, keyed, unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { listUsers } from '#resources/security/dependency-graph/index.ts';
import {
  type FileRow,
  listFiles,
  listOwned,
  listPackagesOf,
  removeFiles,
  replaceAdvisory,
  replaceFiles,
  withdrawAdvisories,
} from './advisory-store.ts';
import { enqueueComparing } from './compare.ts';
import { alertLimits } from './limits.ts';
import type { ReadAdvisory } from './osv.ts';
import { listAlerted } from './store.ts';

/** Files of one transaction. */
const filesPerBatch = 200;

export const loadAdvisoryFiles = job<Record<string, never>, JobContext>({
  name: 'dependency-alerts.load-advisories',
  attempts: 3,
  schedule: { cron: '7,22,37,52 * * * *', atStart: true },
  async run(_payload, context) {
    const { db, services, log, stopping } = context;
    const folder = services.advisories;
    if (folder === undefined) return;
    const paths = await listPaths(folder);
    const known = keyed(await listFiles(db), ({ path }) => path);
    // A folder in which nothing is, is one that wasn't mounted rather than one from which everything was taken.
    if (paths.length === 0) {
      log.warn({ folder }, 'no advisories: the folder has no files of them');
      return;
    }
    let refused = 0;
    for (const some of chunks(paths, filesPerBatch)) {
      stopping?.throwIfAborted();
      refused += await loadSome(context, folder, some, known);
    }
    const present = new Set(paths);
    const gone = [...known.keys()].filter((path) => !present.has(path));
    for (const some of chunks(gone, filesPerBatch)) await forget(context, some);
    if (refused > 0) log.warn({ folder, refused }, 'files of advisories that can’t be read are left out');
  },
});

/** The files of the folder and those below it. @throws Error if the folder can't be read */
async function listPaths(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replace(/^\/+/, ''))
    .sort();
}

type Read = { file: FileRow; read: ReadAdvisory | undefined };

/** Loads the changed ones of some files. Returns how many can't be read. */
async function loadSome(
  context: JobContext,
  folder: string,
  paths: readonly string[],
  known: ReadonlyMap<string, FileRow>,
): Promise<number> {
  const all = await Promise.all(paths.map((path) => readIfChanged(folder, path, known.get(path))));
  const changed = all.filter((one) => one !== undefined);
  if (changed.length === 0) return 0;
  const refused = changed.filter(({ read }) => read === undefined).length;
  await context.change(async (scope) => {
    const named = changed.flatMap(({ read }) => read?.advisory.identifier ?? []);
    await replaceFiles(
      scope.tx,
      changed.map(({ file }) => file),
    );
    const owned = new Set(named.length === 0 ? [] : await listOwned(scope.tx, named));
    await announceChange(scope, context, named, async () => {
      for (const { read } of changed)
        if (read && (read.isOwn || !owned.has(read.advisory.identifier)))
          await replaceAdvisory(scope.tx, read.advisory, read.vulnerabilities);
    });
  });
  return refused;
}

/** A file, if it isn't as it was. A file that is broken now leaves its advisory as it was. */
async function readIfChanged(folder: string, path: string, before: FileRow | undefined): Promise<Read | undefined> {
  await using handle = await open(join(folder, path)).catch(() => undefined);
  if (!handle) return undefined;
  const { size, mtime } = await handle.stat();
  if (before?.size === size && before.modified_at.getTime() === mtime.getTime()) return undefined;
  const file = { path, size, modified_at: mtime, identifier: before?.identifier ?? null, problem: null };
  if (size > fixedValue(alertLimits.advisorySize)) return { file: { ...file, problem: 'is too large' }, read: undefined };
  try {
    const { readOsv } = await import('./osv.ts'); // with the first file: a server without advisories needs none of it
    const read = readOsv(await handle.readFile('utf8'));
    return { file: { ...file, identifier: read.advisory.identifier }, read };
  } catch (error) {
    return {
      file: { ...file, problem: error instanceof Error ? error.message.slice(0, 200) : 'can’t be read' },
      read: undefined,
    };
  }
}

/** What has no file any more is withdrawn. */
const forget = (context: JobContext, paths: readonly string[]): Promise<void> =>
  context.change(async (scope) => {
    const identifiers = unique(await removeFiles(scope.tx, paths));
    if (identifiers.length > 0)
      await announceChange(scope, context, identifiers, () => withdrawAdvisories(scope.tx, identifiers, context.now));
  });

/** Compares repositories again that use a package which the advisories were about before a change, or are about now. */
export async function announceChange(
  scope: WriteScope,
  { now }: { now: Date },
  identifiers: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  if (identifiers.length === 0) return;
  const before = await listPackagesOf(scope.tx, identifiers);
  await work();
  const packages = [...before, ...(await listPackagesOf(scope.tx, identifiers))];
  const repositories = unique([...(await listUsers(scope.tx, packages)), ...(await listAlerted(scope.tx, identifiers))]);
  await enqueueComparing(scope.tx, repositories, now);
}
