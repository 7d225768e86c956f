import { GitError, isGitError } from '../errors.ts';
import { exceeded } from '../process/exceeded.ts';
import { run } from '../process/run.ts';
import { refNameProblem } from '../refs/ref-name.ts';
import type { GitLimits, Repo } from '../repo.ts';
import type { ObjectInfo, ObjectType } from './cat-file.ts';
import { checkedOid, isOid, type Oid } from './oid.ts';
import { type Commit, parseCommit, parseTag, type Tag } from './parse-commit.ts';
import { canonicalMode, parseTree, type TreeEntry, type TreeMode } from './parse-tree.ts';
import { checkPath } from './paths.ts';
import type { Lent } from './reader-pool.ts';

export type { ObjectInfo, ObjectType } from './cat-file.ts';

/** An object with its bytes. */
export type StoredObject = ObjectInfo & { data: Buffer };

/** One of many objects: its bytes, or why there are none. */
export type ReadResult = { oid: Oid } & ({ object: StoredObject } | { problem: 'missing' | 'too-large'; size?: number });

const bytesPerBatch = 8 * 1024 * 1024;
const namesPerBatch = 2_000;
/** Of larger commits, only a part is read. */
const largestCommit = 1024 * 1024;
const beginning = 256 * 1024;
const largestTag = 1024 * 1024;
/** git's exit code for an object that isn't there, or of another type. */
const noSuchObject = 128;

/**
 * Reads objects through a long-lived process. What is asked for together is read together:
 * `await Promise.all(oids.map((oid) => reader.getCommit(oid)))` is one round trip.
 *
 * An object is named by its full name or a full ref (`refs/heads/main`, `HEAD`), with a path or without.
 */
export class ObjectReader implements AsyncDisposable {
  readonly #repo: Repo;
  readonly #lent: Lent;
  readonly #limits: GitLimits;

  constructor(repo: Repo) {
    this.#repo = repo;
    this.#lent = repo.store.readers.lend(repo);
    this.#limits = repo.store.limits;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lent.giveBack();
  }

  /** Type and size, or undefined where there is no such object. A tag is followed with `peel`. */
  async findInfo(rev: string, options: { path?: string; peel?: ObjectType } = {}): Promise<ObjectInfo | undefined> {
    const answer = await this.#lent.ask(nameOf(rev, options), 'info');
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
    const most = info.type === 'tree' ? this.#limits.folder : this.#limits.object;
    if (info.size > (options.maxSize ?? most)) throw this.#tooLarge(info);
    const answer = await this.#lent.ask(info.oid, 'contents');
    return answer && { ...answer.info, data: answer.data };
  }

  #tooLarge({ type, oid }: ObjectInfo): GitError {
    const name = type === 'tree' ? 'folder' : 'object';
    return exceeded(this.#limits, name, { message: `The ${type} is too large to be read at once`, detail: oid });
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
    const info = await this.findInfo(rev, { peel: 'commit' });
    if (!info) throw new GitError('not-found', 'No such commit');
    const [commit] = await this.getCommits([info.oid]);
    if (!commit) throw new GitError('not-found', 'No such commit', info.oid);
    return commit;
  }

  /** Many commits by their full names, in one round trip; throws `not-found` unless all of them are there. */
  async getCommits(oids: readonly Oid[]): Promise<Commit[]> {
    const commits = await this.findCommits(oids);
    return oids.map((oid) => {
      const commit = commits.get(oid);
      if (!commit) throw new GitError('not-found', 'No such commit', oid);
      return commit;
    });
  }

  /** Like `getCommits`, as a map by name. Objects that aren't commits are left out. */
  async findCommits(oids: readonly Oid[]): Promise<Map<Oid, Commit>> {
    const commits = new Map<Oid, Commit>();
    const enormous: Oid[] = [];
    for await (const result of this.readMany(oids, { maxSize: largestCommit })) {
      if (!('object' in result)) {
        if (result.problem === 'too-large') enormous.push(result.oid);
      } else if (result.object.type === 'commit') commits.set(result.oid, parseCommit(result.oid, result.object.data));
    }
    const begun = await Promise.all(enormous.map((oid) => this.#findBeginning(oid)));
    for (const commit of begun) if (commit) commits.set(commit.oid, commit);
    return commits;
  }

  /** The beginning of a commit of a size that nobody writes: who pushes such ones mustn't keep those waiting who list them. */
  async #findBeginning(oid: Oid): Promise<Commit | undefined> {
    const options = { maxOutput: beginning, truncate: true, codes: [0, noSuchObject] };
    const { code, stdout } = await run(this.#repo, ['cat-file', 'commit', checkedOid(oid)], options);
    if (code === noSuchObject) return undefined;
    const { signature: _, payload: __, ...commit } = parseCommit(oid, stdout);
    return commit;
  }

  /** A folder's entries; `rev` may be a commit or a tree, `path` a folder inside. */
  async getTree(rev: string, path = ''): Promise<TreeEntry[]> {
    const found = await this.find(rev, path === '' ? { peel: 'tree' } : { path });
    if (found?.type !== 'tree') throw new GitError('not-found', 'No such tree');
    return parseTree(found.data);
  }

  /** The entry of this name in a folder, however large it is: git looks through the large ones. */
  async findChild(folder: ObjectInfo, name: string): Promise<{ mode: TreeMode; oid: Oid } | undefined> {
    if (folder.size <= this.#limits.folder) {
      const bytes = Buffer.from(name);
      return (await this.getTree(folder.oid)).find((entry) => entry.bytes.equals(bytes));
    }
    const { stdout } = await run(this.#repo, ['ls-tree', '-z', '--', checkedOid(folder.oid), name]);
    const [, octal = '', oid = ''] = /^(\d+) \w+ ([0-9a-f]{40})\t/.exec(stdout.toString('latin1')) ?? [];
    return oid === '' ? undefined : { mode: canonicalMode(octal), oid };
  }

  /** An annotated tag object. */
  async getTag(oid: Oid): Promise<Tag> {
    const found = await this.get(oid, { type: 'tag', maxSize: largestTag });
    return parseTag(found.oid, found.data);
  }

  /** Reads many objects in their order, a few megabytes at a time; those above `maxSize` are named and not read. */
  async *readMany(oids: readonly Oid[], options: { maxSize?: number } = {}): AsyncGenerator<ReadResult> {
    const most = options.maxSize ?? this.#limits.object;
    for (let start = 0; start < oids.length; start += namesPerBatch) {
      const infos = await this.findInfos(oids.slice(start, start + namesPerBatch));
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
    const answers = await Promise.all(oids.map((oid) => this.#lent.ask(checkedOid(oid), 'contents')));
    return answers.flatMap((answer) => (answer ? [{ ...answer.info, data: answer.data }] : []));
  }

  async #readOne(oid: Oid, info: ObjectInfo | undefined, most: number): Promise<ReadResult> {
    if (!info) return { oid, problem: 'missing' };
    const tooLarge = { oid, problem: 'too-large', size: info.size } as const;
    if (info.size > most) return tooLarge;
    try {
      const answer = await this.#lent.ask(oid, 'contents');
      return answer ? { oid, object: { ...answer.info, data: answer.data } } : { oid, problem: 'missing' };
    } catch (error) {
      // Stored as differences of something huge, an object can take more than its own size.
      if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return tooLarge;
      throw error;
    }
  }
}

/** Opens a reader on a repository; dispose of it with `await using`. The process behind it is kept for the next one. */
export async function openObjects(repo: Repo): Promise<ObjectReader> {
  return new ObjectReader(repo);
}

function endOfBatch(infos: readonly (ObjectInfo | undefined)[], from: number, most: number): number {
  let bytes = 0;
  let to = from;
  do {
    const size = infos[to]?.size ?? 0;
    bytes += size > most ? 0 : size;
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

/** Throws `not-found` unless each of these objects exists and is of its type. */
export async function checkObjects(reader: ObjectReader, wanted: readonly { oid: Oid; type: ObjectType }[]): Promise<void> {
  const infos = await reader.findInfos(wanted.map(({ oid }) => checkedOid(oid)));
  for (const [index, { oid, type }] of wanted.entries()) {
    if (infos[index]?.type !== type) throw new GitError('not-found', `No such ${type}: ${oid}`);
  }
}
