// Writes a sequence of files, such as from an archive, as objects of a repository.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitError } from '../errors.ts';
import { startTransfer } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { isOid, type Oid } from './oid.ts';
import { pathMeasure, pathProblem } from './paths.ts';
import { writeObjects } from './write-objects.ts';
import { type TreeChange, writeTree } from './write-tree.ts';

/** A file. Its bytes are read before the next file arrives. */
export type IncomingFile = { path: string; size: number; bytes: AsyncIterable<Buffer> };

/**
 * Files up to this size are written together, up to this number of bytes. A separate git process receives each larger file as a
 * stream.
 */
const smallSize = 1024 * 1024;
const bytesPerBatch = 8 * 1024 * 1024;

/**
 * Writes files as a tree, and returns its name. Git eventually removes objects that no ref reaches.
 * @throws GitError `invalid` for a path that isn't allowed, or occurs twice, `too-large` for too long paths
 */
export async function writeFiles(repo: GitRepository, files: AsyncIterable<IncomingFile>): Promise<Oid> {
  const changes: TreeChange[] = [];
  let batch: { path: string; data: Buffer }[] = [];
  let held = 0;
  const measure = pathMeasure();
  const flush = async (): Promise<void> => {
    const oids = await writeObjects(
      repo,
      batch.map(({ data }) => ({ type: 'blob', data })),
    );
    for (const [at, { path }] of batch.entries()) changes.push({ path, mode: '100644', oid: oids[at] ?? null });
    batch = [];
    held = 0;
  };
  for await (const { path, size, bytes } of files) {
    const problem = pathProblem(path);
    if (problem) throw new GitError('invalid', `A path ${problem}`);
    measure(path);
    if (size > smallSize) changes.push({ path, mode: '100644', oid: await writeLarge(repo, bytes) });
    else {
      const data = Buffer.concat(await Array.fromAsync(bytes));
      batch.push({ path, data });
      held += data.length;
    }
    if (held >= bytesPerBatch) await flush();
  }
  await flush();
  return writeTree(repo, { changes });
}

async function writeLarge(repo: GitRepository, bytes: AsyncIterable<Buffer>): Promise<Oid> {
  const git = await startTransfer(repo, ['hash-object', '-w', '--stdin']);
  const [output] = await Promise.all([Array.fromAsync(git.stdout), pipeline(Readable.from(bytes), git.stdin)]);
  const { code, cause } = await git.ended;
  if (cause) throw cause;
  const oid = Buffer.concat(output as Buffer[])
    .toString('latin1')
    .trim();
  if (code !== 0 || !isOid(oid)) throw new GitError('failed', 'A file could not be written', git.stderr().trim());
  return oid;
}
