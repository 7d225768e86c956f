// Loads advisories from the operator's folder, in the background: files that are new or have changed.

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

/** The number of files in one transaction. */
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
    // An empty folder probably means that it isn't mounted, not that all files were deleted.
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

/** The files of the folder and its subfolders. @throws Error if the folder can't be read */
async function listPaths(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replace(/^\/+/, ''))
    .sort();
}

type Read = { file: FileRow; read: ReadAdvisory | undefined };

/** Loads the given files that changed. Returns the number of unreadable ones. */
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

/** Reads a file, if it changed. A broken file leaves its advisory unchanged. */
async function readIfChanged(folder: string, path: string, before: FileRow | undefined): Promise<Read | undefined> {
  await using handle = await open(join(folder, path)).catch(() => undefined);
  if (!handle) return undefined;
  const { size, mtime } = await handle.stat();
  if (before?.size === size && before.modified_at.getTime() === mtime.getTime()) return undefined;
  const file = { path, size, modified_at: mtime, identifier: before?.identifier ?? null, problem: null };
  if (size > fixedValue(alertLimits.advisorySize)) return { file: { ...file, problem: 'is too large' }, read: undefined };
  try {
    const { readOsv } = await import('./osv.ts'); // loaded with the first file, since a server without advisories doesn't need it
    const read = readOsv(await handle.readFile('utf8'));
    return { file: { ...file, identifier: read.advisory.identifier }, read };
  } catch (error) {
    return {
      file: { ...file, problem: error instanceof Error ? error.message.slice(0, 200) : 'can’t be read' },
      read: undefined,
    };
  }
}

/** Withdraws advisories whose files no longer exist. */
const forget = (context: JobContext, paths: readonly string[]): Promise<void> =>
  context.change(async (scope) => {
    const identifiers = unique(await removeFiles(scope.tx, paths));
    if (identifiers.length > 0)
      await announceChange(scope, context, identifiers, () => withdrawAdvisories(scope.tx, identifiers, context.now));
  });

/** Compares repositories again that use a package which the changed advisories affected before or affect now. */
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
