import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '#lib/startup-error.ts';
import type { HostKey, HostKeyKind } from '#ssh-server/host-keys.ts';
import { secretKey } from './setting-values.ts';

/** The data folder of an installation: repositories, the embedded database and the secret key. `created` if it didn't exist. */
export type DataFolder = { path: string; repositories: string; created: boolean };

/** The version of the folder's layout. */
const format = 1;

/** Opens the data folder, and creates it if it is missing. @throws StartupError */
export async function openDataFolder(path: string): Promise<DataFolder> {
  let created: boolean;
  try {
    created = await makeFolder(path, folderMode());
    await checkFormat(join(path, 'format'));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw unusable(path, error);
  }
  return { path, repositories: join(path, 'repositories'), created };
}

/**
 * Other accounts have no access. If Hearth runs as root, others may pass through, since PostgreSQL then runs as another account
 * in a folder inside.
 */
const folderMode = (): number => (process.getuid?.() === 0 ? 0o711 : 0o700);

/**
 * Creates a folder and its parents. Returns false if it exists. Node's recursive mkdir doesn't terminate if the system always
 * reports a missing parent (as below /proc).
 */
async function makeFolder(path: string, mode: number): Promise<boolean> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory()) return false;
  if (dirname(path) !== path) await makeFolder(dirname(path), 0o755);
  await mkdir(path, { mode });
  return true;
}

async function checkFormat(file: string): Promise<void> {
  await writeOnce(file, `${format}\n`, 0o644);
  const existing = Number(await readFile(file, 'utf8'));
  if (existing > format)
    throw new StartupError(
      `The data folder was written by a newer Hearth (format ${existing}; this one reads ${format}): update Hearth`,
    );
  if (existing !== format) throw new StartupError(`${file} doesn't say which format the data folder has`);
}

const keyFile = 'secret-key';

/** The file of the key that encrypts stored secrets. */
export const secretKeyFile = (path: string): string => join(path, keyFile);

/**
 * The key that encrypts stored secrets, from the data folder; undefined if the folder has none. @throws StartupError if the key
 * can't be used
 */
export async function findSecretKey({ path }: Pick<DataFolder, 'path'>): Promise<Buffer | undefined> {
  const file = secretKeyFile(path);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
  try {
    return secretKey(text.trim());
  } catch (error) {
    throw new StartupError(`${file} can't be used: it ${reasonOf(error)}`);
  }
}

/** Makes a secret key in the data folder, readable by its owner only, unless there is one. */
export async function makeSecretKey({ path }: Pick<DataFolder, 'path'>): Promise<Buffer> {
  try {
    await writeOnce(secretKeyFile(path), `${randomBytes(32).toString('base64')}\n`, 0o600);
  } catch (error) {
    throw unusable(path, error);
  }
  return getSecretKey({ path });
}

/** The key of an installation that was opened before. */
export async function getSecretKey(folder: Pick<DataFolder, 'path'>): Promise<Buffer> {
  const key = await findSecretKey(folder);
  if (!key) throw new StartupError(`The secret key is missing: ${secretKeyFile(folder.path)} isn't there`);
  return key;
}

/** The folder of the server's SSH host keys, one file for each kind. */
export const hostKeysOf = (path: string): string => join(path, 'ssh-host-keys');

/** The server's host keys, from the data folder. The first call makes them, readable by their owner only. */
export async function readHostKeys(folder: Pick<DataFolder, 'path'>): Promise<HostKey[]> {
  const path = hostKeysOf(folder.path);
  try {
    await makeFolder(path, 0o700);
    const { hostKeyKinds } = await hostKeyFunctions();
    return await Promise.all(
      (Object.keys(hostKeyKinds) as HostKeyKind[]).map((kind) => readOrMakeHostKey(join(path, kind), kind)),
    );
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw unusable(path, error);
  }
}

/** Only servers with SSH load this, since the library behind it is large. */
const hostKeyFunctions = () => import('#ssh-server/host-keys.ts');

async function readOrMakeHostKey(file: string, kind: HostKeyKind): Promise<HostKey> {
  // An existing file that can't be read stops the start: a new key would alarm all clients.
  const existing = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  const { newHostKey, readHostKey } = await hostKeyFunctions();
  if (existing === undefined) await writeOnce(file, await newHostKey(kind), 0o600);
  try {
    return readHostKey(existing ?? (await readFile(file, 'utf8')));
  } catch (error) {
    throw new StartupError(`${file} can't be used as a host key: ${reasonOf(error)}`);
  }
}

/** Creates a file atomically if it doesn't exist, so that concurrent starts read the same content. */
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
