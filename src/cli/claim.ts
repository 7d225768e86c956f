import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { keptFiles } from '#backup/kept-files.ts';
import { type Address, change, openDatabase, type Tx } from '#database/connect.ts';
import { commandName } from '#database/migrate.ts';
import { newestSealedValues } from '#database/sealed-columns.ts';
import { repositoryPath } from '#git/store.ts';
import { checkMarker, markerOf, StorageLost, writeMarker } from '#lib/folder-marker.ts';
import { keyFingerprint, sealedUnder } from '#lib/secrets.ts';
import { StartupError } from '#lib/startup-error.ts';

/** A folder's name in the database. */
type FolderName = 'repositories' | 'objects';

/** The parts of an installation apart from its database. */
export type Belongings = {
  /** Undefined if the files are in a bucket. */
  folders: Readonly<Record<FolderName, string | undefined>>;
  secretKey: {
    /** Undefined if the installation has no key. */
    find(): Promise<Buffer | undefined>;
    make(): Promise<Buffer>;
    /** The location of the key, for messages. */
    at: string;
  };
  /** Whether the current key replaces the one that the database knows. Secrets under the old key are given up. */
  replaceKey?: boolean;
};

/** An installation whose folders and key belong to it. */
export type Claimed = { id: string; secretKey: Buffer };

type Row = { id: string; marked_folders: string[]; secret_key_fingerprint: string | null };

/**
 * Checks that folders and secret key belong to this database. At the first start, it marks folders with the installation's id,
 * and stores the fingerprint of the key. @throws StartupError with what to do
 */
export async function claim(address: Address, belongings: Belongings): Promise<Claimed> {
  const database = openDatabase(address, { max: 1, name: commandName });
  try {
    return await change(database.db, async (tx) => {
      const { rows } = await sql<Row>`select id, marked_folders, secret_key_fingerprint from installation for update`.execute(tx);
      const [row] = rows;
      if (!row) throw new StartupError('The table "installation" is empty: restore a backup of the database');
      await claimFolders(tx, row, belongings.folders);
      return { id: row.id, secretKey: await claimKey(tx, row, belongings) };
    });
  } finally {
    await database.close();
  }
}

async function claimFolders(tx: Tx, { id, marked_folders: marked }: Row, folders: Belongings['folders']): Promise<void> {
  for (const name of ['repositories', 'objects'] as const) {
    const path = folders[name];
    if (path === undefined) continue;
    if (marked.includes(name)) {
      await checkFolder(path, id);
      continue;
    }
    // A person may have marked the folder after a refusal.
    if (!(await hasMarker(path, id))) await checkContent(tx, id, { name, path });
    await mkdir(path, { recursive: true, mode: 0o700 });
    await writeMarker(path, id);
    await sql`update installation set marked_folders = marked_folders || ${name}::text`.execute(tx);
  }
}

const hasMarker = (path: string, id: string): Promise<boolean> =>
  checkMarker(path, id).then(
    () => true,
    () => false,
  );

/**
 * Checks that a folder without a marker holds something that the database knows. An upgrade from a version without markers could
 * otherwise mark an empty mount point. @throws StartupError
 */
async function checkContent(tx: Tx, id: string, { name, path }: { name: FolderName; path: string }): Promise<void> {
  const known = await (name === 'repositories' ? newestRepositories(tx, path) : someFiles(tx, path));
  if (known.length === 0) return;
  const found = await Promise.all(known.map((file) => stat(file).catch(() => undefined)));
  if (found.some((one) => one !== undefined)) return;
  const [things, bucket] =
    name === 'repositories' ? ['repositories', ''] : ['files', ' Are the files in a bucket (HEARTH_OBJECTS)?'];
  throw new StartupError(
    `${path} has none of the ${things} that the database knows. Is its volume mounted?${bucket} ` +
      `If this is the right folder, run: mkdir -p ${path} && echo ${id} > ${markerOf(path)}`,
  );
}

/** One existing item is enough. Single ones may be damaged, which `hearth doctor` finds. */
const looked = 100;

async function newestRepositories(tx: Tx, root: string): Promise<string[]> {
  const rows = await tx.selectFrom('repositories').select('id').orderBy('id', 'desc').limit(looked).execute();
  return rows.map(({ id }) => repositoryPath(root, id));
}

async function someFiles(tx: Tx, root: string): Promise<string[]> {
  const { rows } = await sql<{
    object_key: string;
  }>`select object_key from (${sql.raw(keptFiles)}) files limit ${looked}`.execute(tx);
  return rows.map(({ object_key }) => join(root, object_key));
}

async function checkFolder(path: string, id: string): Promise<void> {
  try {
    await checkMarker(path, id);
  } catch (error) {
    if (!(error instanceof StorageLost)) throw error;
    throw new StartupError(
      `${error.message}. Is its volume mounted? If this is the right folder, run: echo ${id} > ${markerOf(path)}`,
    );
  }
}

async function claimKey(tx: Tx, { secret_key_fingerprint: known }: Row, { secretKey, replaceKey }: Belongings): Promise<Buffer> {
  const found = await secretKey.find();
  if (!replaceKey) await checkKey(tx, { found, known, at: secretKey.at });
  const key = found ?? (await secretKey.make());
  if (known !== keyFingerprint(key))
    await sql`update installation set secret_key_fingerprint = ${keyFingerprint(key)}`.execute(tx);
  return key;
}

const whatToDo =
  'Put the key back from where you keep it. If it is lost, `hearth secret-key replace` continues without it: stored ' +
  'secrets must be set again';

/** @throws StartupError if the stored secrets are encrypted with another key */
async function checkKey(
  tx: Tx,
  { found, known, at }: { found: Buffer | undefined; known: string | null; at: string },
): Promise<void> {
  if (found && known !== null && keyFingerprint(found) === known) return;
  // Earlier versions stored no fingerprint. In that case, the stored secrets show whether the key fits.
  const isOwn = known === null && (await opensStoredSecrets(tx, found));
  if (isOwn) return;
  if (!found) throw new StartupError(`The secret key is missing: ${at} isn't there. ${whatToDo}`);
  throw new StartupError(`The secret key in ${at} is not the one of this installation. ${whatToDo}`);
}

/** Whether this key opens the stored secrets, if there are any. */
async function opensStoredSecrets(tx: Tx, key: Buffer | undefined): Promise<boolean> {
  const values = await newestSealedValues(tx);
  return values.every((sealed) => key !== undefined && sealedUnder(key, sealed));
}
