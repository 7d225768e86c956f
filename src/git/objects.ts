import type { CatFile, ObjectInfo, ObjectType } from './cat-file.ts';
import { GitError } from './errors.ts';
import { checkedOid, isOid, type Oid } from './oid.ts';
import { type Commit, parseCommit, parseTag, type Tag } from './parse-commit.ts';
import { parseTree, type TreeEntry } from './parse-tree.ts';
import { checkPath } from './paths.ts';
import type { Lent } from './reader-pool.ts';
import { refNameProblem } from './ref-name.ts';
import type { GitLimits, Repo } from './repo.ts';

export type { ObjectInfo, ObjectType } from './cat-file.ts';

/** An object with its bytes. */
export type StoredObject = ObjectInfo & { data: Buffer };

/** One of many objects: its bytes, or why there are none. */
export type ReadResult = { oid: Oid } & ({ object: StoredObject } | { problem: 'missing' | 'too-large'; size?: number });

const bytesAtOnce = 8 * 1024 * 1024;
const namesAtOnce = 2_000;

/**
 * Reads objects through a long-lived process. What is asked for together is read together:
 * `await Promise.all(oids.map((oid) => reader.getCommit(oid)))` is one round trip.
 *
 * An object is named by its full name or a full ref (`refs/heads/main`, `HEAD`), with a path or without.
 */
export class ObjectReader implements AsyncDisposable {
  readonly #lent: Lent;
  readonly #limits: GitLimits;

  constructor(lent: Lent, limits: GitLimits) {
    this.#lent = lent;
    this.#limits = limits;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lent.giveBack();
  }

  get #cat(): CatFile {
    return this.#lent.cat();
  }

  /** Type and size, or undefined where there is no such object. A tag is followed with `peel`. */
  async findInfo(rev: string, options: { path?: string; peel?: ObjectType } = {}): Promise<ObjectInfo | undefined> {
    const answer = await this.#cat.ask(nameOf(rev, options), 'info');
    return answer?.info;
  }

  /** As `findInfo`, for many objects in one round trip. */
  findInfos(oids: readonly Oid[]): Promise<(ObjectInfo | undefined)[]> {
    return Promise.all(oids.map((oid) => this.findInfo(oid)));
  }

  /** The object, or undefined where there is none. Throws `too-large` above `maxSize`. */
  async find(
    rev: string,
    options: { path?: string; peel?: ObjectType; maxSize?: number } = {},
  ): Promise<StoredObject | undefined> {
    const info = await this.findInfo(rev, options);
    if (!info) return undefined;
    if (info.size > (options.maxSize ?? this.#limits.object))
      throw new GitError('too-large', 'The object is too large', info.oid);
    const answer = await this.#cat.ask(info.oid, 'contents');
    return answer && { ...answer.info, data: answer.data };
  }

  /** The object; throws `not-found` where there is none or it is of another type. */
  async get(rev: string, options: { path?: string; type?: ObjectType; maxSize?: number } = {}): Promise<StoredObject> {
    const { type, ...rest } = options;
    const found = await this.find(rev, rest);
    if (!found) throw new GitError('not-found', 'No such object');
    if (type && found.type !== type) throw new GitError('not-found', `Not a ${type}`, `${found.oid} is a ${found.type}`);
    return found;
  }

  /** A commit, through a tag where `rev` names one. */
  async getCommit(rev: string): Promise<Commit> {
    const found = await this.find(rev, { peel: 'commit' });
    if (!found) throw new GitError('not-found', 'No such commit');
    return parseCommit(found.oid, found.data);
  }

  /** Many commits by their full names, in one round trip. */
  async getCommits(oids: readonly Oid[]): Promise<Commit[]> {
    const commits: Commit[] = [];
    for await (const result of this.readMany(oids)) {
      if (!('object' in result) || result.object.type !== 'commit') throw new GitError('not-found', 'No such commit', result.oid);
      commits.push(parseCommit(result.oid, result.object.data));
    }
    return commits;
  }

  /** A folder's entries; `rev` may be a commit or a tree, `path` a folder inside. */
  async getTree(rev: string, path = ''): Promise<TreeEntry[]> {
    const found = await this.find(rev, path === '' ? { peel: 'tree' } : { path });
    if (found?.type !== 'tree') throw new GitError('not-found', 'No such tree');
    return parseTree(found.data);
  }

  /** An annotated tag object. */
  async getTag(oid: Oid): Promise<Tag> {
    const found = await this.get(oid, { type: 'tag' });
    return parseTag(found.oid, found.data);
  }

  /** Reads many objects in their order, a few megabytes at a time; those above `maxSize` are named and not read. */
  async *readMany(oids: readonly Oid[], options: { maxSize?: number } = {}): AsyncGenerator<ReadResult> {
    const most = options.maxSize ?? this.#limits.object;
    for (let start = 0; start < oids.length; start += namesAtOnce) {
      const infos = await this.findInfos(oids.slice(start, start + namesAtOnce));
      for (let from = 0; from < infos.length; ) {
        const to = endOfBatch(infos, from, most);
        const batch = infos.slice(from, to).map((info, index) => this.#readOne(oids[start + from + index] ?? '', info, most));
        yield* await Promise.all(batch);
        from = to;
      }
    }
  }

  /** Reads objects that are known to be small, in their order and one round trip; those that aren't there are left out. */
  async readSmall(oids: readonly Oid[]): Promise<StoredObject[]> {
    const answers = await Promise.all(oids.map((oid) => this.#cat.ask(checkedOid(oid), 'contents')));
    return answers.flatMap((answer) => (answer ? [{ ...answer.info, data: answer.data }] : []));
  }

  async #readOne(oid: Oid, info: ObjectInfo | undefined, most: number): Promise<ReadResult> {
    if (!info) return { oid, problem: 'missing' };
    if (info.size > most) return { oid, problem: 'too-large', size: info.size };
    const answer = await this.#cat.ask(oid, 'contents');
    return answer ? { oid, object: { ...answer.info, data: answer.data } } : { oid, problem: 'missing' };
  }
}

/** Opens a reader on a repository; dispose of it with `await using`. The process behind it is kept for the next one. */
export async function openObjects(repo: Repo): Promise<ObjectReader> {
  return new ObjectReader(repo.store.readers.lend(repo), repo.store.limits);
}

function endOfBatch(infos: readonly (ObjectInfo | undefined)[], from: number, most: number): number {
  let bytes = 0;
  let to = from;
  do {
    const size = infos[to]?.size ?? 0;
    bytes += size > most ? 0 : size;
    to++;
  } while (to < infos.length && bytes + (infos[to]?.size ?? 0) <= bytesAtOnce);
  return to;
}

function nameOf(rev: string, { path, peel }: { path?: string; peel?: ObjectType }): string {
  if (rev !== 'HEAD' && !isOid(rev) && refNameProblem(rev))
    throw new GitError('invalid', 'Not an object name or a full ref name');
  if (path === undefined) return peel ? `${rev}^{${peel}}` : rev;
  checkPath(path);
  return `${rev}:${path}`;
}

/** Throws `not-found` unless each of these objects exists and is of its type. */
export async function checkObjects(reader: ObjectReader, wanted: readonly { oid: Oid; type: ObjectType }[]): Promise<void> {
  const infos = await reader.findInfos(wanted.map(({ oid }) => checkedOid(oid)));
  for (const [index, { oid, type }] of wanted.entries()) {
    if (infos[index]?.type !== type) throw new GitError('not-found', `No such ${type}: ${oid}`);
  }
}
