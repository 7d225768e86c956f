import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '#lib/startup-error.ts';
import { secretKey } from './settings.ts';

/** The folder that holds all of an installation: repositories, the embedded database, the secret key. `made` if it wasn't there. */
export type DataFolder = { path: string; repositories: string; made: boolean };

/** The version of the folder's layout. A higher one was written by a newer Hearth. */
const format = 1;

/** Opens the data folder, making it where it is missing. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  let made: boolean;
  try {
    made = await makeFolder(path, ownMode());
    await checkFormat(join(path, 'format'));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw unusable(path, error);
  }
  return { path, repositories: join(path, 'repositories'), made };
}

/** Nobody else reads here. Where PostgreSQL runs as another account than Hearth, it passes through to its own part. */
const ownMode = (): number => (process.getuid?.() === 0 ? 0o711 : 0o700);

/**
 * Makes a folder and those above it; false if it was there. Node's own recursive mkdir never ends where the system keeps
 * answering that a parent is missing (as below /proc).
 */
async function makeFolder(path: string, mode: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return false;
  if (dirname(path) !== path) await makeFolder(dirname(path), 0o755);
  await mkdir(path, { mode });
  return true;
}

async function checkFormat(file: string): Promise<void> {
  await writeOnce(file, `${format}\n`, 0o644);
  const found = Number(await readFile(file, 'utf8'));
  if (found > format)
    throw new StartupError(
      `The data folder was written by a newer Hearth (format ${found}; this one reads ${format}): update Hearth`,
    );
  if (found !== format) throw new StartupError(`${file} doesn't say which format the data folder has`);
}

const keyFile = 'secret-key';

/** Whether a data folder has its key. */
export const hasSecretKey = (path: string): Promise<boolean> =>
  stat(join(path, keyFile)).then(
    () => true,
    () => false,
  );

/** The key that encrypts stored secrets, from the folder; made at the first call, readable by its owner alone. */
export async function ownSecretKey(folder: Pick<DataFolder, 'path'>): Promise<Buffer> {
  const file = join(folder.path, keyFile);
  let text: string;
  try {
    await writeOnce(file, `${randomBytes(32).toString('base64')}\n`, 0o600);
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw unusable(folder.path, error);
  }
  try {
    return secretKey(text.trim());
  } catch (error) {
    throw new StartupError(`${file} can't be used: it ${reasonOf(error)}`);
  }
}

/** Writes a file that isn't there yet, whole or not at all, so that two processes that start at once read the same. */
async function writeOnce(file: string, text: string, mode: number): Promise<void> {
  if ((await readFile(file).catch(() => undefined)) !== undefined) return;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { mode, flush: true });
  try {
    await link(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
}

const unusable = (path: string, error: unknown): StartupError =>
  new StartupError(`The data folder ${path} can't be used: ${reasonOf(error)}`);

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOENT')
    return 'no permission to read and write there';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it is not a folder';
  return error.message;
};
