// Objects as files in a folder: `<group>/<name>`, and `<group>/<name>.partial` during a write.
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkMarker } from '#lib/folder-marker.ts';
import { syncFolder } from '#lib/sync-folder.ts';
import { checkKey, type ObjectStore, partial, type StoredFile } from './store.ts';

/** The number of bytes in one read of an object. */
const readSize = 256 * 1024;
const filesPerBatch = 500;

/**
 * Opens the object store of a folder, which is created for the first object.
 * @param installation the id of the installation in the folder's marker. Without it, a lost folder isn't detected
 */
export function openObjectFolder(root: string, installation?: string): ObjectStore {
  const check = async (): Promise<void> => {
    if (installation !== undefined) await checkMarker(root, installation);
  };
  const fileOf = (key: string): string => {
    checkKey(key);
    return join(root, key);
  };
  return {
    check,
    async put(key, send) {
      const file = fileOf(key);
      await check(); // otherwise files would be written below the mount point of a lost volume
      const folder = join(file, '..');
      if (await mkdir(folder, { recursive: true, mode: 0o700 })) await syncFolder(join(folder, '..'));
      const path = file + partial;
      try {
        const stored = await writeFile(path, send);
        await rename(path, file);
        await syncFolder(folder);
        return stored;
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
    async open(key, range) {
      const file = await open(fileOf(key)).catch(undefinedIfAbsent);
      if (!file) await check();
      return file?.createReadStream({ highWaterMark: readSize, ...range });
    },
    remove: (key) => rm(fileOf(key), { force: true }),
    removeGroup: (group) => rm(join(fileOf(`${group}/x`), '..'), { force: true, recursive: true }),
    async *list() {
      await check();
      yield* filesOf(root);
    },
  };
}

async function writeFile(path: string, send: Parameters<ObjectStore['put']>[1]) {
  const file: FileHandle = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let size = 0;
    await send(async (part) => {
      hash.update(part);
      await file.writeFile(part);
      size += part.length;
    });
    await file.sync();
    return { size, digest: `sha256:${hash.digest('hex')}` };
  } finally {
    await file.close();
  }
}

async function* filesOf(root: string): AsyncGenerator<StoredFile[]> {
  let batch: StoredFile[] = [];
  for await (const entry of entriesOf(root)) {
    // The marker of the installation is in the same folder as the groups.
    if (!entry.isDirectory()) continue;
    const { name: group } = entry;
    for await (const { name } of entriesOf(join(root, group))) {
      const found = await stat(join(root, group, name)).catch(undefinedIfAbsent);
      if (found) batch.push({ group, name, modified: found.mtime });
      if (batch.length < filesPerBatch) continue;
      yield batch;
      batch = [];
    }
  }
  yield batch;
}

async function* entriesOf(folder: string) {
  const opened = await opendir(folder).catch(undefinedIfAbsent);
  if (opened) yield* opened;
}

function undefinedIfAbsent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
