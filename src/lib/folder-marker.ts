import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const markerName = 'hearth-installation';

/** A folder is missing or unreadable, or isn't the expected one, for example if a volume isn't mounted. */
export class StorageLost extends Error {
  constructor(folder: string, reason: string) {
    super(`${folder} ${reason}`);
    this.name = 'StorageLost';
  }
}

/** The path of the file that records which installation a folder belongs to. */
export const markerOf = (folder: string): string => join(folder, markerName);

/** Marks a folder with its installation. */
export const writeMarker = (folder: string, installation: string): Promise<void> =>
  writeFile(markerOf(folder), `${installation}\n`, { mode: 0o600, flush: true });

/** Checks that a folder belongs to an installation. @throws StorageLost */
export async function checkMarker(folder: string, installation: string): Promise<void> {
  let found: string;
  try {
    found = (await readFile(markerOf(folder), 'utf8')).trim();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new StorageLost(folder, isMissing ? `has no file ${markerName}` : `can't be read: ${String(error)}`);
  }
  if (found !== installation) throw new StorageLost(folder, `belongs to another installation (${found})`);
}

/** The system's error codes for storage that doesn't work, regardless of the file. */
const codes: ReadonlySet<unknown> = new Set(['EIO', 'EACCES', 'EPERM', 'EROFS', 'ESTALE', 'ENOTCONN', 'ENODEV', 'ESHUTDOWN']);
const words =
  /not a git repository|Input\/output error|Permission denied|Read-only file system|Stale (?:NFS )?file handle|Transport endpoint is not connected/;

/** Whether a message from Git has such an error as its reason. */
export const isStorageText = (text: string): boolean => words.test(text);

/**
 * Whether an error means that storage is lost or unreadable. It is a file error of the system, or an error of Git with the
 * system's message as `detail`.
 */
export const isStorageFailure = (error: unknown): boolean =>
  error instanceof StorageLost ||
  (error instanceof Error &&
    (('path' in error && 'code' in error && codes.has(error.code)) ||
      (error.name === 'GitError' && 'kind' in error && error.kind === 'unavailable') ||
      ('detail' in error && typeof error.detail === 'string' && isStorageText(error.detail))));
