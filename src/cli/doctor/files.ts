import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Refusal } from '#lib/refusal.ts';
import type { ObjectStore } from '#objects/store.ts';
import { counted } from '../command.ts';
import { progressBar } from '../progress.ts';
import { type CheckContext, type Diagnosis, reasonOf, someOf } from './diagnosis.ts';

/** Checks that the store of files can be written and read, by an object that is removed again. */
export async function files({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const check = 'files';
  const { rows } = await sql<{ files: number; bytes: number }>`
    select count(*) as files, coalesce(sum(size), 0)::bigint as bytes from release_assets`.execute(db);
  const { files = 0, bytes = 0 } = rows[0] ?? {};
  const problem = await problemOfStore(hearth.services.objects);
  const total = `${counted(files, 'file')} of releases, ${Math.round(bytes / 1024 ** 2)} MiB`;
  return { check, ok: problem === undefined, detail: problem === undefined ? total : `${total}; ${problem}` };
}

async function problemOfStore(objects: ObjectStore): Promise<string | undefined> {
  const bytes = randomBytes(32);
  const key = `doctor/${bytes.toString('hex')}`;
  try {
    await objects.put(key, (sink) => sink(bytes));
    const found = await digestOf(objects, key);
    await objects.remove(key);
    return found === digestOfBytes(bytes) ? undefined : 'what was written is not what is read';
  } catch (error) {
    const cause = error instanceof Refusal && error.cause !== undefined ? error.cause : error;
    return `their store can't be used (${reasonOf(cause)})`;
  }
}

/** Reads all files of releases, and compares them with their digests. */
export async function contentsOfFiles({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const bar = await progressBar();
  const total = await db
    .selectFrom('release_assets')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirst();
  const broken: string[] = [];
  let read = 0;
  let after = 0;
  for (;;) {
    const page = await db
      .selectFrom('release_assets')
      .select(['id', 'object_key', 'digest'])
      .where('id', '>', sql<never>`${after}`)
      .orderBy('id')
      .limit(500)
      .execute();
    for (const { id, object_key, digest } of page) {
      bar.show('Reading files', read++, total?.total ?? 0);
      const found = await digestOf(hearth.services.objects, object_key).catch((error: unknown) => error);
      // One that was deleted meanwhile is gone by right.
      if (found === digest || !(await db.selectFrom('release_assets').select('id').where('id', '=', id).executeTakeFirst()))
        continue;
      broken.push(`${object_key} ${problemOf(found)}`);
    }
    const last = page.at(-1);
    if (!last) break;
    after = last.id;
  }
  bar.end();
  return {
    check: 'file contents',
    ok: broken.length === 0,
    detail: broken.length === 0 ? 'every file is whole' : someOf(broken, '; '),
  };
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
