import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { isGitError } from '../errors.ts';
import { gitLimits } from '../limits.ts';
import { kindOf } from '../objects/object-cache.ts';
import { commits as cachedCommits, type ObjectReader, openObjects } from '../objects/objects.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { parseTree } from '../objects/parse-tree.ts';
import { checkPath } from '../objects/paths.ts';
import { readRecords } from '../process/records.ts';
import { runText } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';

/** The last commit of a folder, and of each of its entries. Entries are missing whose commit lies beyond the bounds. */
export type LastCommits = { latest: Oid | undefined; entries: readonly (readonly [name: string, commit: Oid])[] };

const maxCommits = fixedValue(gitLimits.lastCommits);
const maxTreeBytes = fixedValue(gitLimits.lastCommitTrees);
const time = fixedValue(gitLimits.lastCommitTime);

/** Cached results, by commit and path. */
const results = kindOf<LastCommits>('last-commits');
const lastOfPaths = kindOf<{ oid: Oid | undefined }>('last-commit');

/** A commit that may have changed a folder, and its parents. */
type Step = { oid: Oid; parents: readonly Oid[] };

/**
 * The last commit of a folder, and of each of its entries, from one walk through the history. It ends when all are found, or at
 * the limits on commits, bytes and time. After a push, only the new commits are walked.
 */
export async function listLastCommits(
  repo: GitRepository,
  { commit, path }: { commit: Oid; path: string },
): Promise<LastCommits> {
  if (path !== '') checkPath(path);
  const keyOf = (oid: Oid): string => `${checkedOid(oid)} ${path}`;
  const { cache } = repo.store;
  const known = cache.get(repo, results, keyOf(commit));
  if (known) return known;
  await using reader = await openObjects(repo);
  const search = await Search.open(reader, { commit, path });
  const base = await findBase(repo, reader, { commit, keyOf });
  await search.takeAll(base ? [base.steps] : readSteps(repo, { commit, path }));
  const result = search.result(base?.known);
  cache.set(repo, results, keyOf(commit), result);
  return result;
}

/** The number of commits after which a cached result isn't looked for. */
const maxAbove = 32;

/** The nearest ancestor with a cached result, and the commits above it, newest first, if no merge is among them. */
async function findBase(
  repo: GitRepository,
  reader: ObjectReader,
  { commit, keyOf }: { commit: Oid; keyOf: (oid: Oid) => string },
): Promise<{ known: LastCommits; steps: Step[] } | undefined> {
  const steps: Step[] = [];
  for (let oid = commit; steps.length < maxAbove; ) {
    const known = repo.store.cache.get(repo, results, keyOf(oid));
    if (known) return { known, steps };
    // Only what was read before leads to a cached result, apart from the tip of a push.
    const found = repo.store.cache.get(repo, cachedCommits, oid) ?? (steps.length < 4 ? await reader.getCommit(oid) : undefined);
    const [parent] = found?.parents ?? [];
    if (!found || parent === undefined || found.parents.length > 1) return undefined;
    steps.push({ oid, parents: [parent] });
    oid = parent;
  }
  return undefined;
}

/** The commits whose history includes changes of a path, newest first, in batches. */
async function* readSteps(repo: GitRepository, { commit, path }: { commit: Oid; path: string }): AsyncGenerator<Step[]> {
  const args = ['log', '--format=%H %P', `--max-count=${maxCommits}`, checkedOid(commit), '--', ...(path === '' ? [] : [path])];
  for await (const lines of readRecords(repo, args, { separator: 10, timeout: time })) {
    const steps = lines.map((line) => {
      const [oid = '', ...parents] = line.toString('latin1').trim().split(' ');
      return { oid, parents: parents.slice(0, maxParents) };
    });
    for (let from = 0; from < steps.length; from += stepsPerBatch) yield steps.slice(from, from + stepsPerBatch);
  }
}

const stepsPerBatch = 32;
const maxParents = 8;

/** The search for the commits of the entries of one folder. */
class Search {
  readonly #reader: ObjectReader;
  readonly #path: string;
  /** The entries without a commit so far, each with its object. */
  readonly #open: Map<string, Oid>;
  readonly #found: [string, Oid][] = [];
  readonly #trees = new Map<Oid, Map<string, Oid>>();
  readonly #deadline = performance.now() + time;
  #latest: Oid | undefined;
  #bytes = 0;

  private constructor(reader: ObjectReader, path: string, open: Map<string, Oid>) {
    this.#reader = reader;
    this.#path = path;
    this.#open = open;
  }

  static async open(reader: ObjectReader, { commit, path }: { commit: Oid; path: string }): Promise<Search> {
    const entries = await reader.getTree(commit, path);
    return new Search(reader, path, new Map(entries.map(({ name, oid }) => [name, oid])));
  }

  get #isOver(): boolean {
    return this.#open.size === 0 || this.#bytes > maxTreeBytes || performance.now() > this.#deadline;
  }

  async takeAll(all: AsyncIterable<Step[]> | Iterable<Step[]>): Promise<void> {
    try {
      for await (const steps of all) {
        await this.#take(steps);
        if (this.#isOver) return;
      }
    } catch (error) {
      if (!isGitError(error, 'timeout') && !isGitError(error, 'too-large')) throw error;
    }
  }

  /** Compares the folder of commits with that of their parents. */
  async #take(steps: readonly Step[]): Promise<void> {
    const oids = [...new Set(steps.flatMap(({ oid, parents }) => [oid, ...parents]))];
    const folders = await Promise.all(oids.map((oid) => this.#reader.findFolder(oid, this.#path)));
    const folderOf = new Map(oids.map((oid, at) => [oid, folders[at]]));
    for (const { oid, parents } of steps) {
      const own = folderOf.get(oid);
      const before = parents.map((parent) => folderOf.get(parent)?.oid);
      if (!own || before.includes(own.oid)) continue;
      this.#latest ??= oid;
      await this.#compare(oid, own.oid, before);
      if (this.#isOver) return;
    }
  }

  /** A commit has changed an entry if it has the present object, and none of its parents has it. */
  async #compare(commit: Oid, own: Oid, before: readonly (Oid | undefined)[]): Promise<void> {
    const yieldTurn = periodicYield();
    const tree = await this.#treeOf(own);
    const others = await Promise.all(before.map((folder) => (folder === undefined ? undefined : this.#treeOf(folder))));
    for (const [name, oid] of this.#open)
      if (tree.get(name) === oid && others.every((other) => other?.get(name) !== oid)) {
        this.#found.push([name, commit]);
        this.#open.delete(name);
      }
    await yieldTurn();
  }

  async #treeOf(oid: Oid): Promise<Map<string, Oid>> {
    const known = this.#trees.get(oid);
    if (known) return known;
    const { data } = await this.#reader.get(oid, { type: 'tree' });
    this.#bytes += data.length;
    const tree = new Map(parseTree(data).map((entry) => [entry.name, entry.oid]));
    // The tree of a parent is soon that of the next commit.
    if (this.#trees.size > maxTrees) this.#trees.clear();
    this.#trees.set(oid, tree);
    return tree;
  }

  /** What was found. What the walked commits haven't changed has the commit that a result for an ancestor says. */
  result(base: LastCommits | undefined): LastCommits {
    const earlier = (base?.entries ?? []).filter(([name]) => this.#open.has(name));
    return { latest: this.#latest ?? base?.latest, entries: [...this.#found, ...earlier] };
  }
}

const maxTrees = 16;

/** The last commit that changed a path; undefined if it isn't found in time. */
export async function findLastCommit(
  repo: GitRepository,
  { commit, path }: { commit: Oid; path: string },
): Promise<Oid | undefined> {
  checkPath(path);
  const key = `${checkedOid(commit)} ${path}`;
  const known = repo.store.cache.get(repo, lastOfPaths, key);
  if (known) return known.oid;
  const oid = await readLastCommit(repo, { commit, path });
  repo.store.cache.set(repo, lastOfPaths, key, { oid });
  return oid;
}

async function readLastCommit(repo: GitRepository, { commit, path }: { commit: Oid; path: string }): Promise<Oid | undefined> {
  try {
    const text = await runText(repo, ['rev-list', '--max-count=1', checkedOid(commit), '--', path], { timeout: time });
    return text.slice(0, 40) || undefined;
  } catch (error) {
    if (isGitError(error, 'timeout')) return undefined;
    throw error;
  }
}
