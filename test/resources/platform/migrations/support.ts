import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { onTestFinished } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { resourceLimits } from '#lib/limits.ts';
import { allLimits, type LimitOverrides } from '#resources/all.ts';
import { importArchive } from '#resources/platform/migrations/index.ts';
import type { World } from '#test/support/world.ts';

const run = promisify(execFile);

/** A folder of the test's own, removed after it. */
export async function folderOfTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-migration-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The migrations of whoever asks. Others are those of an organization, as `/orgs/acme/migrations`. */
const own = '/user/migrations';

/** Starts a migration and has its archive made; gives its id. */
export async function exported(here: World, who: Account, body: object, base = own): Promise<number> {
  const { body: started, status } = await (await here.as(who)).post(base, body);
  if (status !== 201) throw new Error(`A migration could not be started: ${JSON.stringify(started)}`);
  await here.settle();
  return started.id;
}

/** The bytes of an archive, by the address that its owner is given. */
export async function download(here: World, who: Account, id: number, base = own): Promise<Buffer> {
  const { headers } = await (await here.as(who)).get(`${base}/${id}/archive`);
  const response = await fetch(headers.location ?? '');
  if (response.status !== 200) throw new Error(`An archive was answered by ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** An unpacked archive: its folder, the names of all entries, and the objects of each kind. */
export type Unpacked = {
  folder: string;
  names: string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects by name, and an absent name is a failed expectation
  objects(kind: string): Promise<any[]>;
};

/** Unpacks an archive by the system's tar. */
export async function unpack(bytes: Buffer): Promise<Unpacked> {
  const folder = await folderOfTest();
  const file = join(folder, 'archive.tar.gz');
  await writeFile(file, bytes);
  await run('tar', ['-xzf', file], { cwd: folder });
  await rm(file);
  const names = (await readdir(folder, { recursive: true })).toSorted();
  return {
    folder,
    names,
    async objects(kind) {
      const pages = names.filter((name) => name.startsWith(`${kind}_0`));
      return (await Promise.all(pages.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))))).flat();
    },
  };
}

/** Has an archive made, and unpacks it. */
export async function archiveOf(here: World, who: Account, body: object, base = own): Promise<Unpacked> {
  return unpack(await download(here, who, await exported(here, who, body, base), base));
}

type ImportOptions = { limits?: LimitOverrides; into?: string | undefined };

/** Imports an archive as the command does. */
export async function importInto(here: World, bytes: Buffer, { limits = {}, into }: ImportOptions = {}) {
  const file = join(await folderOfTest(), 'archive.tar.gz');
  await writeFile(file, bytes);
  return importArchive({
    file,
    git: here.hearth.services.git,
    objects: here.hearth.services.objects,
    change: here.change,
    limits: resourceLimits(allLimits, limits),
    into,
    onProgress: () => undefined,
  });
}

/** An archive whose files of JSON are changed, each by its name; undefined takes a file out. */
export async function repacked({ folder, names }: Unpacked, changes: Record<string, unknown> = {}): Promise<Buffer> {
  const tar = pack();
  const written = gzipped(tar);
  for (const name of names) {
    if (!(await stat(join(folder, name))).isFile() || (name in changes && changes[name] === undefined)) continue;
    const changed = changes[name];
    tar.entry({ name }, changed === undefined ? await readFile(join(folder, name)) : bytesOf(changed));
  }
  tar.finalize();
  return written;
}

const bytesOf = (content: unknown): Buffer => (Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content)));

const gzipped = async (tar: Pack): Promise<Buffer> => gzipSync(await buffer(tar));
