import { periodicYield } from '#lib/turns.ts';
import { GitError, isGitError } from '../errors.ts';
import { exceeded } from '../process/exceeded.ts';
import { run } from '../process/run.ts';
import { refNameProblem } from '../refs/ref-name.ts';
import type { GitLimits, GitRepository } from '../repo.ts';
import type { ObjectInfo, ObjectType } from './cat-file.ts';
import { type Kind, kindOf, type ObjectCache } from './object-cache.ts';
import { checkedOid, checkedPrefix, isOid, type Oid } from './oid.ts';
import { type Commit, parseCommit, parseTag, type Tag } from './parse-commit.ts';
import { canonicalMode, findInTree, parseTree, type TreeEntry, type TreeMode } from './parse-tree.ts';
import { checkPath } from './paths.ts';
import type { ReaderLease } from './reader-pool.ts';

export type { ObjectInfo, ObjectType } from './cat-file.ts';

/** An object with its bytes. */
type StoredObject = ObjectInfo & { data: Buffer };

/** The result of reading one of many objects: the object, or why it couldn't be read. */
type ReadResult = { oid: Oid } & ({ object: StoredObject } | { problem: 'missing' | 'too-large'; size?: number });

const bytesPerBatch = 8 * 1024 * 1024;
const namesPerBatch = 2_000;
/** For larger commits, only the first `partialCommitSize` bytes are read. */
const maxCommitSize = 1024 * 1024;
const partialCommitSize = 256 * 1024;
const maxTagSize = 1024 * 1024;
/** Larger objects aren't cached. */
const maxCachedSize = 256 * 1024;

/** Cached commits, by name. */
export const commits = kindOf<Commit>('commit');
const objects = kindOf<StoredObject>('object');
/** Information about objects without their bytes, by name or by commit and path. */
const infos = kindOf<ObjectInfo>('info');

/** git's exit code for an object that doesn't exist or has another type. */
const noSuchObject = 128;

/**
 * Reads objects through a long-lived process. Concurrent requests are batched: `await Promise.all(oids.map((oid) =>
 * reader.getCommit(oid)))` is one round trip.
 *
 * `rev` is a full object name or a full ref (`refs/heads/main`, `HEAD`).
 *
 * `findInfo` always checks whether an object exists, and is called first for every name in a request. The results of other
 * methods may come from the store's cache.
 */
export class ObjectReader implements AsyncDisposable {
  readonly #repo: GitRepository;
  readonly #lease: ReaderLease;
  readonly #limits: GitLimits;
  readonly #isBulk: boolean;

  constructor(repo: GitRepository, { isBulk }: { isBulk: boolean }) {
    this.#repo = repo;
    this.#isBulk = isBulk;
    this.#lease = repo.store.readers.lease(repo);
    this.#limits = repo.store.limits;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lease.release();
  }

  /** The type and size of an object; undefined if it doesn't exist. With `peel`, tags are followed. */
  async findInfo(rev: string, options: { path?: string; peel?: ObjectType } = {}): Promise<ObjectInfo | undefined> {
    const answer = await this.#lease.request(nameOf(rev, options), 'info');
    return answer?.info;
  }

  /** Like `findInfo`, for many objects in one round trip. */
  findInfos(oids: readonly Oid[]): Promise<(ObjectInfo | undefined)[]> {
    return Promise.all(oids.map((oid) => this.findInfo(oid)));
  }

  /**
   * The names of the commits that begin with these 7 to 40 digits, by the digits, in one round trip. Digits are omitted if they
   * match no commit or several.
   */
  async findCommitNames(prefixes: readonly string[]): Promise<Map<string, Oid>> {
    const answers = await Promise.all(prefixes.map((digits) => this.#lease.request(`${checkedPrefix(digits)}^{commit}`, 'info')));
    // A branch may have a name like the beginning of a commit, and the name of a tag leads to another object.
    return new Map(
      prefixes.flatMap((digits, at) => {
        const oid = answers[at]?.info.oid;
        return oid?.startsWith(digits) ? [[digits, oid] as const] : [];
      }),
    );
  }

  /** The folder at a path of a commit (`''`: its root); undefined if it doesn't exist. */
  async findFolder(commit: Oid, path: string): Promise<ObjectInfo | undefined> {
    const key = `${checkedOid(commit)}:${path}`;
    const known = this.#cache.get(this.#repo, infos, key);
    if (known) return known;
    const found = await this.findInfo(commit, path === '' ? { peel: 'tree' } : { path });
    if (found?.type !== 'tree') return undefined;
    this.#keep(infos, key, found);
    return found;
  }

  /** The size in bytes of a blob from a tree; 0 if it doesn't exist. */
  async sizeOf(blob: Oid): Promise<number> {
    const known = this.#cache.get(this.#repo, objects, blob) ?? this.#cache.get(this.#repo, infos, blob);
    if (known) return known.size;
    const found = await this.findInfo(blob);
    if (found) this.#keep(infos, blob, found);
    return found?.size ?? 0;
  }

  get #cache(): ObjectCache {
    return this.#repo.store.cache;
  }

  #keep<V extends object>(kind: Kind<V>, key: string, value: V): void {
    if (!this.#isBulk) this.#cache.set(this.#repo, kind, key, value);
  }

  /** An object; undefined if it doesn't exist. @throws GitError `too-large` above `maxSize` */
  async find(
    rev: string,
    options: { path?: string; peel?: ObjectType; maxSize?: number } = {},
  ): Promise<StoredObject | undefined> {
    const known = options.path === undefined ? this.#cache.get(this.#repo, objects, rev) : undefined;
    const isKnown = known !== undefined && (options.peel ?? known.type) === known.type;
    const info = isKnown ? known : await this.findInfo(rev, options);
    if (!info) return undefined;
    const maxSize = info.type === 'tree' ? this.#limits.folder : this.#limits.object;
    if (info.size > (options.maxSize ?? maxSize)) throw this.#tooLarge(info);
    if (isKnown) return known;
    const answer = await this.#lease.request(info.oid, 'contents');
    if (!answer) return undefined;
    const found = { ...answer.info, data: answer.data };
    // A copy, since the bytes are a part of a larger buffer with other replies.
    if (found.size <= maxCachedSize) this.#keep(objects, found.oid, { ...found, data: copyOf(found.data) });
    return found;
  }

  #tooLarge({ type, oid }: ObjectInfo): GitError {
    const name = type === 'tree' ? 'folder' : 'object';
    return exceeded(this.#limits, name, { message: `The ${type} is too large to be read in one piece`, detail: oid });
  }

  /** An object. @throws GitError `not-found` if it doesn't exist or has another type, `too-large` above `maxSize` */
  async get(rev: string, options: { path?: string; type?: ObjectType; maxSize?: number } = {}): Promise<StoredObject> {
    const { type, ...rest } = options;
    const found = await this.find(rev, rest);
    if (!found) throw new GitError('not-found', 'No such object');
    if (type && found.type !== type) throw new GitError('not-found', `Not a ${type}`, `${found.oid} is a ${found.type}`);
    return found;
  }

  /** A commit; tags are followed. @throws GitError `not-found` */
  async getCommit(rev: string): Promise<Commit> {
    const known = this.#cache.get(this.#repo, commits, rev);
    if (known) return known;
    const info = await this.findInfo(rev, { peel: 'commit' });
    if (!info) throw new GitError('not-found', 'No such commit');
    const [commit] = await this.getCommits([info.oid]);
    if (!commit) throw new GitError('not-found', 'No such commit', info.oid);
    return commit;
  }

  /** Many commits by their full names, in at most one round trip. @throws GitError `not-found` if one is missing */
  async getCommits(oids: readonly Oid[]): Promise<Commit[]> {
    const found = await this.findCommits(oids);
    return oids.map((oid) => {
      const commit = found.get(oid);
      if (!commit) throw new GitError('not-found', 'No such commit', oid);
      return commit;
    });
  }

  /** Like `getCommits`, as a map by name. Missing objects and objects of other types are omitted. */
  async findCommits(oids: readonly Oid[]): Promise<Map<Oid, Commit>> {
    const found = new Map<Oid, Commit>();
    const unknown: Oid[] = [];
    for (const oid of oids) {
      const known = this.#cache.get(this.#repo, commits, oid);
      if (known) found.set(oid, known);
      else unknown.push(oid);
    }
    if (unknown.length > 0) for (const commit of await this.#readCommits(unknown)) found.set(commit.oid, commit);
    return found;
  }

  async #readCommits(oids: readonly Oid[]): Promise<Commit[]> {
    const read: Commit[] = [];
    const tooLarge: Oid[] = [];
    const yieldTurn = periodicYield();
    for await (const result of this.readMany(oids, { maxSize: maxCommitSize })) {
      await yieldTurn(); // a commit may have hundreds of thousands of headers
      if (!('object' in result)) {
        if (result.problem === 'too-large') tooLarge.push(result.oid);
      } else if (result.object.type === 'commit') read.push(parseCommit(result.oid, result.object.data));
    }
    const partial = await Promise.all(tooLarge.map((oid) => this.#findBeginning(oid)));
    read.push(...partial.filter((commit) => commit !== undefined));
    for (const commit of read) this.#keep(commits, commit.oid, commit);
    return read;
  }

  /** The first part of a very large commit, so that such commits don't slow lists down. */
  async #findBeginning(oid: Oid): Promise<Commit | undefined> {
    const options = { maxOutput: partialCommitSize, truncate: true, codes: [0, noSuchObject] };
    const { code, stdout } = await run(this.#repo, ['cat-file', 'commit', checkedOid(oid)], options);
    if (code === noSuchObject) return undefined;
    const { signature: _, payload: __, ...commit } = parseCommit(oid, stdout);
    return commit;
  }

  /** The entries of a tree. `rev` is a commit or a tree, `path` a folder inside it. @throws GitError `not-found` */
  async getTree(rev: string, path = ''): Promise<TreeEntry[]> {
    const found = await this.find(rev, path === '' ? { peel: 'tree' } : { path });
    if (found?.type !== 'tree') throw new GitError('not-found', 'No such tree');
    return parseTree(found.data);
  }

  /** The entry with this name in a tree. For trees above `git.folder`, `git ls-tree` finds it. */
  async findChild(folder: ObjectInfo, name: string): Promise<{ mode: TreeMode; oid: Oid } | undefined> {
    if (folder.size <= this.#limits.folder) {
      const { data } = await this.get(folder.oid, { type: 'tree' });
      return findInTree(data, Buffer.from(name));
    }
    const { stdout } = await run(this.#repo, ['ls-tree', '-z', '--', checkedOid(folder.oid), name]);
    const [, octal = '', oid = ''] = /^(\d+) \w+ ([0-9a-f]{40})\t/.exec(stdout.toString('latin1')) ?? [];
    return oid === '' ? undefined : { mode: canonicalMode(octal), oid };
  }

  /** An annotated tag. @throws GitError `not-found` */
  async getTag(oid: Oid): Promise<Tag> {
    const found = await this.get(oid, { type: 'tag', maxSize: maxTagSize });
    return parseTag(found.oid, found.data);
  }

  /** Reads many objects in order, in batches of a few megabytes. Objects above `maxSize` aren't read. */
  async *readMany(oids: readonly Oid[], options: { maxSize?: number } = {}): AsyncGenerator<ReadResult> {
    const maxSize = options.maxSize ?? this.#limits.object;
    for (let start = 0; start < oids.length; start += namesPerBatch) {
      const infos = await this.findInfos(oids.slice(start, start + namesPerBatch));
      for (let from = 0; from < infos.length; ) {
        const to = endOfBatch(infos, from, maxSize);
        const batch = infos.slice(from, to).map((info, index) => this.#readOne(oids[start + from + index] ?? '', info, maxSize));
        yield* await Promise.all(batch);
        from = to;
      }
    }
  }

  /** Reads objects that are known to be small, in order and in one round trip. Missing ones are omitted. */
  async readSmall(oids: readonly Oid[]): Promise<StoredObject[]> {
    const answers = await Promise.all(oids.map((oid) => this.#lease.request(checkedOid(oid), 'contents')));
    return answers.flatMap((answer) => (answer ? [{ ...answer.info, data: answer.data }] : []));
  }

  async #readOne(oid: Oid, info: ObjectInfo | undefined, maxSize: number): Promise<ReadResult> {
    if (!info) return { oid, problem: 'missing' };
    const tooLarge = { oid, problem: 'too-large', size: info.size } as const;
    if (info.size > maxSize) return tooLarge;
    try {
      const answer = await this.#lease.request(oid, 'contents');
      return answer ? { oid, object: { ...answer.info, data: answer.data } } : { oid, problem: 'missing' };
    } catch (error) {
      // An object that is stored as a delta of a huge one can take more memory than its own size.
      if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return tooLarge;
      throw error;
    }
  }
}

/**
 * Opens a reader of a repository. Dispose of it with `await using`. Its process stays open for later readers. With `isBulk`, it
 * caches nothing, for work that reads more than a request does.
 */
export async function openObjects(repo: GitRepository, { isBulk = false } = {}): Promise<ObjectReader> {
  return new ObjectReader(repo, { isBulk });
}

function copyOf(data: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  data.copy(copy);
  return copy;
}

function endOfBatch(infos: readonly (ObjectInfo | undefined)[], from: number, maxSize: number): number {
  let bytes = 0;
  let to = from;
  do {
    const size = infos[to]?.size ?? 0;
    bytes += size > maxSize ? 0 : size;
    to++;
  } while (to < infos.length && bytes + (infos[to]?.size ?? 0) <= bytesPerBatch);
  return to;
}

function nameOf(rev: string, { path, peel }: { path?: string; peel?: ObjectType }): string {
  if (rev !== 'HEAD' && !isOid(rev) && refNameProblem(rev))
    throw new GitError('invalid', 'Not an object name or a full ref name');
  if (path === undefined) return peel ? `${rev}^{${peel}}` : rev;
  checkPath(path);
  return `${rev}:${path}`;
}

/** @throws GitError `not-found` unless each of these objects exists and has its type */
export async function checkObjects(reader: ObjectReader, expected: readonly { oid: Oid; type: ObjectType }[]): Promise<void> {
  const infos = await reader.findInfos(expected.map(({ oid }) => checkedOid(oid)));
  for (const [index, { oid, type }] of expected.entries()) {
    if (infos[index]?.type !== type) throw new GitError('not-found', `No such ${type}: ${oid}`);
  }
}
