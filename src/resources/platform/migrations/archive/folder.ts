// The files of archives: `<migration>.tar.gz`, and `<migration>.<random>.partial` while one is written.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Id } from '#lib/id.ts';
import { notFound } from '#lib/refusal.ts';
import { syncFolder } from '#lib/sync-folder.ts';

type Migration = Id<'migrations'>;

const fileOf = (folder: string, migration: Migration): string => join(folder, `${migration}.tar.gz`);
const partialName = /^(\d+)\.[0-9a-f]+\.partial$/;
const migrationName = /^(\d+)\.(?:tar\.gz|[0-9a-f]+\.partial)$/;

/** A file that is being written, and no archive yet. Disposing of it removes what was not finished. */
type Partial = { readonly path: string; finish(): Promise<void>; [Symbol.asyncDispose](): Promise<void> };

/** Begins the archive of a migration. What earlier attempts left is removed. */
export async function beginArchive(folder: string, migration: Migration): Promise<Partial> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder))
    if (partialName.exec(name)?.[1] === String(migration)) await rm(join(folder, name), { force: true });
  const path = join(folder, `${migration}.${randomBytes(6).toString('hex')}.partial`);
  return {
    path,
    async finish() {
      await rename(path, fileOf(folder, migration));
      await syncFolder(folder);
    },
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  };
}

/** Opens the archive of a migration. What is read is whole even if the archive is deleted meanwhile. */
export async function openArchive(folder: string, migration: Migration): Promise<{ stream: Readable; size: number }> {
  const file = await open(fileOf(folder, migration)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw notFound();
    throw error;
  });
  try {
    const { size } = await file.stat();
    return { stream: file.createReadStream({ highWaterMark: 256 * 1024 }), size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Removes the archive of a migration. If there is none, that is no error. */
export const removeArchive = (folder: string, migration: Migration): Promise<void> =>
  rm(fileOf(folder, migration), { force: true });

/** The migrations that have files, with their names. */
export async function listArchiveFiles(folder: string): Promise<{ migration: number; name: string }[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return (await readdir(folder)).flatMap((name) => {
    const id = migrationName.exec(name)?.[1];
    return id === undefined ? [] : [{ migration: Number(id), name }];
  });
}

/** Removes a file of the folder. */
export const removeFile = (folder: string, name: string): Promise<void> => rm(join(folder, name), { force: true });
