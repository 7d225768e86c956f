import { periodicYield } from '#lib/turns.ts';
import { GitError } from '../errors.ts';
import { run } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { formatIdentity, type Identity } from './identity.ts';
import { checkObjects, type ObjectType, openObjects } from './objects.ts';
import type { Oid } from './oid.ts';
import { type NewObject, oidOf, packOf } from './pack.ts';

// Like `receive.unpackLimit`: up to this number of objects are stored loose, and more in a pack.
const looseLimit = 100;

/**
 * Writes objects in one git process, which checks their format and that all referenced objects exist, and syncs them to disk.
 * Returns their names, in order.
 * @throws GitError `invalid` if git refuses them
 */
export async function writeObjects(repo: GitRepository, objects: readonly NewObject[]): Promise<Oid[]> {
  const oids: Oid[] = [];
  const yieldIfNeeded = periodicYield();
  for (const object of objects) {
    oids.push(oidOf(object));
    await yieldIfNeeded();
  }
  const distinct = [...new Map(objects.map((object, index) => [oids[index], object])).values()];
  if (distinct.length === 0) return oids;
  const args = distinct.length <= looseLimit ? ['unpack-objects', '-q', '--strict'] : ['index-pack', '--stdin', '--strict'];
  const { code, stderr } = await run(repo, args, { input: await packOf(distinct), codes: [0, 1, 128] });
  if (code !== 0) throw new GitError('invalid', 'Git refused the objects', stderr.trim());
  return oids;
}

async function writeOne(repo: GitRepository, object: NewObject): Promise<Oid> {
  const [oid] = await writeObjects(repo, [object]);
  return oid ?? oidOf(object);
}

/** Writes a blob. */
export async function writeBlob(repo: GitRepository, data: Buffer): Promise<Oid> {
  return writeOne(repo, { type: 'blob', data });
}

export type NewCommit = {
  tree: Oid;
  parents: readonly Oid[];
  author: Identity;
  committer: Identity;
  message: string;
  /** An armored signature of the commit's bytes without the signature. */
  signature?: string;
};

/** Writes a commit. @throws GitError `not-found` if the tree or a parent is missing */
export async function writeCommit(repo: GitRepository, commit: NewCommit): Promise<Oid> {
  await using reader = await openObjects(repo);
  const parents = commit.parents.map((oid) => ({ oid, type: 'commit' as const }));
  await checkObjects(reader, [{ oid: commit.tree, type: 'tree' }, ...parents]);
  return writeOne(repo, { type: 'commit', data: commitBytes(commit) });
}

/** The bytes of a commit, for signing or writing. */
export function commitBytes({ tree, parents, author, committer, message, signature }: NewCommit): Buffer {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${formatIdentity(author)}`,
    `committer ${formatIdentity(committer)}`,
    ...(signature === undefined ? [] : [`gpgsig ${withoutNul(signature).trimEnd().replaceAll('\n', '\n ')}`]),
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${withoutNul(message)}`);
}

type NewTag = { name: string; target: Oid; targetType: ObjectType; tagger: Identity; message: string };

/** Writes an annotated tag object. The caller creates its ref. @throws GitError `not-found` if the target is missing */
export async function writeTag(repo: GitRepository, { name, target, targetType, tagger, message }: NewTag): Promise<Oid> {
  if (/[\n\0]/.test(name) || name === '') throw new GitError('invalid', 'Not a tag name');
  await using reader = await openObjects(repo);
  await checkObjects(reader, [{ oid: target, type: targetType }]);
  const head = `object ${target}\ntype ${targetType}\ntag ${name}\ntagger ${formatIdentity(tagger)}\n\n`;
  return writeOne(repo, { type: 'tag', data: Buffer.from(head + withoutNul(message)) });
}

function withoutNul(text: string): string {
  if (text.includes('\0')) throw new GitError('invalid', 'A message cannot hold a NUL');
  return text;
}
