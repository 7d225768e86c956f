import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { keptFiles } from '#backup/kept-files.ts';
import type { Db } from '#database/connect.ts';
import { Refusal } from '#lib/refusal.ts';
import type { ObjectStore } from '#objects/store.ts';
import { counted } from '../command.ts';
import { progressBar } from '../progress.ts';
import { type CheckContext, type Diagnosis, reasonOf, someOf } from './diagnosis.ts';

/** Checks that the file store can be written and read. It writes one object and removes it again. */
export async function files({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const { rows } = await sql<{ files: number; bytes: number }>`
    select count(*) as files, coalesce(sum(size), 0)::bigint as bytes from release_assets`.execute(db);
  const { files = 0, bytes = 0 } = rows[0] ?? {};
  const problem = await problemOfStore(hearth.services.objects);
  const total = `${counted(files, 'file')} of releases, ${Math.round(bytes / 1024 ** 2)} MiB`;
  return { check: 'files', ok: problem === undefined, detail: problem === undefined ? total : `${total}; ${problem}` };
}

async function problemOfStore(objects: ObjectStore): Promise<string | undefined> {
  const bytes = randomBytes(32);
  const key = `doctor/${bytes.toString('hex')}`;
  try {
    await objects.put(key, (sink) => sink(bytes));
    const found = await digestOf(objects, key);
    await objects.remove(key);
    return found === digestOfBytes(bytes) ? undefined : 'the bytes read differ from the bytes written';
  } catch (error) {
    const cause = error instanceof Refusal && error.cause !== undefined ? error.cause : error;
    return `their store can't be used (${reasonOf(cause)})`;
  }
}

type KeptFile = { object_key: string; digest: string };

/** Reads all files that backups keep, and compares them with their digests. */
export async function contentsOfFiles({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const bar = await progressBar();
  const { rows } = await sql<KeptFile>`select object_key, digest from (${sql.raw(keptFiles)}) files order by object_key`.execute(
    db,
  );
  const broken: string[] = [];
  for (const [read, { object_key, digest }] of rows.entries()) {
    bar.show('Reading files', read, rows.length);
    const found = await digestOf(hearth.services.objects, object_key).catch((error: unknown) => error);
    // A file that was deleted in the meantime isn't a problem.
    if (found === digest || !(await isKept(db, object_key))) continue;
    broken.push(`${object_key} ${problemOf(found)}`);
  }
  bar.end();
  const whole = `${counted(rows.length, 'file')} of releases, artifacts, code scanning and logs`;
  const detail = [
    broken.length === 0 ? `${whole}: every one is whole` : `${whole}: ${someOf(broken, '; ')}`,
    ...(await unread(db)),
  ];
  return { check: 'file contents', ok: broken.length === 0, detail: detail.join('; ') };
}

async function isKept(db: Db, key: string): Promise<boolean> {
  const { rows } = await sql`select from (${sql.raw(keptFiles)}) files where object_key = ${key} limit 1`.execute(db);
  return rows.length > 0;
}

/** The files that aren't compared, with the reason. */
async function unread(db: Db): Promise<string[]> {
  const { rows } = await sql<{ caches: number; logs: number }>`
    select (select count(*) from caches where object_key is not null) as caches,
      (select count(*) from workflow_jobs
        where log_key is not null and log_digest is null and carried_from is null) as logs`.execute(db);
  const { caches = 0, logs = 0 } = rows[0] ?? {};
  return [
    ...(caches > 0 ? [`not read: ${counted(caches, 'cache')}, which jobs make again`] : []),
    ...(logs > 0 ? [`not read: ${counted(logs, 'log')} of earlier versions, which stored no digest`] : []),
  ];
}

function problemOf(found: unknown): string {
  if (found instanceof Error) return `can't be read (${reasonOf(found)})`;
  return found === undefined ? 'is missing' : 'is not what was uploaded';
}

const digestOfBytes = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function digestOf(objects: ObjectStore, key: string): Promise<string | undefined> {
  const stream = await objects.open(key);
  if (!stream) return undefined;
  const hash = createHash('sha256');
  for await (const part of stream) hash.update(part);
  return `sha256:${hash.digest('hex')}`;
}
