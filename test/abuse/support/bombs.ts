// Repositories that are small on disk, and enormous for whoever reads them.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { emptyTree } from '#git/objects/oid.ts';
import { type NewObject, oidOf, packOf } from '#git/objects/pack.ts';
import { commitBytes, writeObjects } from '#git/objects/write-objects.ts';
import type { GitRepository } from '#git/repo.ts';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';
import { ada } from '#test/git/support.ts';

const mebi = 1024 * 1024;

const entry = (mode: string, name: string, oid: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);

async function commitOf(gitRepository: GitRepository, tree: string, parents: string[] = []): Promise<string> {
  const data = commitBytes({ tree, parents, author: ada, committer: ada, message: 'Bomb\n' });
  const [oid = ''] = await writeObjects(gitRepository, [{ type: 'commit', data }]);
  return oid;
}

/** A commit of a tree, given by its bytes. */
export async function commitTree(gitRepository: GitRepository, data: Buffer, parents: string[]): Promise<string> {
  const [tree = ''] = await writeObjects(gitRepository, [{ type: 'tree', data }]);
  return commitOf(gitRepository, tree, parents);
}

/** A commit of these files: names and contents. */
export async function commitFiles(
  gitRepository: GitRepository,
  files: Readonly<Record<string, string>>,
  parents: string[] = [],
): Promise<string> {
  const blobs = Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) }));
  const oids = await writeObjects(
    gitRepository,
    blobs.map(({ data }) => ({ type: 'blob', data })),
  );
  const named = blobs.map(({ name }, index) => ({ name, oid: oids[index] ?? '' }));
  named.sort((one, other) => (one.name < other.name ? -1 : 1));
  const data = Buffer.concat(named.map(({ name, oid }) => entry('100644', name, oid)));
  return commitTree(gitRepository, data, parents);
}

/** A commit whose folders hold each other, ten in ten, so deep: ten to that power of files, in a few objects. */
export async function treeBomb(
  gitRepository: GitRepository,
  base: string,
  { depth, content }: { depth: number; content: string },
): Promise<string> {
  const [blob = ''] = await writeObjects(gitRepository, [{ type: 'blob', data: Buffer.from(content) }]);
  const names = Array.from({ length: 10 }, (_, index) => `f${index}.ts`);
  let tree = blob;
  let mode = '100644';
  for (let level = 0; level < depth; level++) {
    const data = Buffer.concat(names.map((name) => entry(mode, name, tree)));
    [tree = ''] = await writeObjects(gitRepository, [{ type: 'tree', data }]);
    mode = '40000';
  }
  return commitOf(gitRepository, tree, [base]);
}

/** A commit whose folders nest so deep, one in one. */
export async function deepBomb(gitRepository: GitRepository, base: string, depth: number): Promise<string> {
  const trees: NewObject[] = [{ type: 'tree', data: Buffer.alloc(0) }];
  let oid = emptyTree;
  for (let level = 0; level < depth; level++) {
    const tree: NewObject = { type: 'tree', data: entry('40000', 'd', oid) };
    oid = oidOf(tree);
    trees.push(tree);
  }
  await writeObjects(gitRepository, trees);
  return commitOf(gitRepository, oid, [base]);
}

/** So many branches, all at one commit. */
export async function manyRefs(gitRepository: GitRepository, commit: string, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `refs/heads/b${String(index).padStart(7, '0')}`);
  const lines = names.map((name) => `${commit} ${name}\n`).join('');
  await writeFile(join(gitRepository.path, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${lines}`);
}

/** A size as packs and differences write it. */
function varint(size: number): Buffer {
  const bytes: number[] = [];
  for (let rest = size; ; rest = Math.floor(rest / 128)) {
    const more = rest >= 128 ? 128 : 0;
    bytes.push((rest % 128) | more);
    if (!more) return Buffer.from(bytes);
  }
}

/** A difference that repeats the beginning of its base. `unit` is less than 16 MiB. */
function repeat(base: number, unit: number, times: number): Buffer {
  const copy = Buffer.from([0xf0, unit & 255, (unit >> 8) & 255, (unit >> 16) & 255]);
  return Buffer.concat([varint(base), varint(unit * times), ...Array.from({ length: times }, () => copy)]);
}

function deltaEntry(base: string, delta: Buffer): Buffer {
  const size = delta.length;
  const head = size < 16 ? Buffer.from([0x70 | size]) : Buffer.concat([Buffer.from([0xf0 | (size & 15)]), varint(size >> 4)]);
  return Buffer.concat([head, Buffer.from(base, 'hex'), deflateSync(delta)]);
}

function repeatedOid(size: number): string {
  const hash = createHash('sha1').update(`blob ${size}\0`);
  for (let done = 0; done < size; done += mebi) hash.update(Buffer.alloc(Math.min(mebi, size - done), 'a'));
  return hash.digest('hex');
}

/**
 * A pack of less than a kilobyte with a commit of one file that has so many MiB, a multiple of eight, by differences of
 * differences.
 */
export async function deltaBomb(mebibytes: number): Promise<{ commit: string; pack: Buffer }> {
  const base = Buffer.alloc(65_536, 'a');
  const middle = repeatedOid(16 * mebi);
  const tree = { type: 'tree' as const, data: entry('100644', 'bomb', repeatedOid(mebibytes * mebi)) };
  const about = { parents: [], author: ada, committer: ada, message: 'Bomb\n' };
  const commit = { type: 'commit' as const, data: commitBytes({ ...about, tree: oidOf(tree) }) };
  const whole = await packOf([{ type: 'blob', data: base }, tree, commit]);
  const deltas = [
    deltaEntry(oidOf({ type: 'blob', data: base }), repeat(base.length, base.length, 256)),
    deltaEntry(middle, repeat(16 * mebi, 8 * mebi, mebibytes / 8)),
  ];
  const body = Buffer.concat([whole.subarray(0, -20), ...deltas]);
  body.writeUInt32BE(5, 8);
  return { commit: oidOf(commit), pack: Buffer.concat([body, createHash('sha1').update(body).digest()]) };
}

/** The body of a push that makes a branch of a pack. */
export const pushOf = (ref: string, { commit, pack }: { commit: string; pack: Buffer }, capabilities = 'report-status'): Buffer =>
  Buffer.concat([packet(`${'0'.repeat(40)} ${commit} ${ref}\0 ${capabilities}`), flushPacket, pack]);
