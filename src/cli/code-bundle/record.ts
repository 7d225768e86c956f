// Finds the bundle from which Hearth starts, and checks whether it is up to date.
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..', '..');
/** The folder of all bundles. `npm ci` removes it. */
export const bundlesFolder = join(root, 'node_modules/.cache/hearth');
export const recordFile = join(bundlesFolder, 'bundle.json');

/** A source file of a bundle, by its path in the checkout. */
export type BundledFile = { path: string; size: number; mtime: number; digest: string };

/** The folder name of the current bundle, and its source files. */
export type BundleRecord = { folder: string; files: readonly BundledFile[] };

/** Whether the packages belong to this checkout. A bundle finds data next to the sources by its position in the checkout. */
export const hasOwnPackages = (): boolean => realpathSync(join(root, 'node_modules')) === join(root, 'node_modules');

/** The folder of the bundle; undefined if it doesn't exist, or one of its source files has changed since. */
export function findBundle(): string | undefined {
  try {
    const { folder, files }: BundleRecord = JSON.parse(readFileSync(recordFile, 'utf8'));
    return hasOwnPackages() && files.every(isUnchanged) ? join(bundlesFolder, folder) : undefined;
  } catch {
    // Hearth can always start from its sources.
    return undefined;
  }
}

/** After a copy or a checkout only the times differ, so the contents are compared. */
function isUnchanged({ path, size, mtime, digest }: BundledFile): boolean {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  return stats?.size === size && (stats.mtimeMs === mtime || describeFile(path).file.digest === digest);
}

/** The record of a file, and its contents. */
export function describeFile(path: string): { file: BundledFile; code: string } {
  // A change after this line results in a time that differs from the recorded one.
  const { size, mtimeMs } = statSync(join(root, path));
  const contents = readFileSync(join(root, path));
  const digest = createHash('sha256').update(contents).digest('base64url');
  return { file: { path, size, mtime: mtimeMs, digest }, code: contents.toString() };
}
