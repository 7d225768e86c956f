import { constants, copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of a backup that holds the server's SSH host keys. */
export const hostKeyFolder = 'ssh-host-keys';

/** Copies the keys of a folder, if there is one, into another folder. Existing keys stay, since clients may know them. */
export async function copyHostKeys(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(unless('ENOENT', []));
  if (names.length === 0) return;
  await mkdir(to, { recursive: true, mode: 0o700 });
  // A copy has the mode of the original, which only its owner may read.
  for (const name of names)
    await copyFile(join(from, name), join(to, name), constants.COPYFILE_EXCL).catch(unless('EEXIST', undefined));
}

/** Returns the result instead of throwing an error with this code. */
const unless =
  <T>(code: string, result: T) =>
  (error: unknown): T => {
    if (error instanceof Error && 'code' in error && error.code === code) return result;
    throw error;
  };
