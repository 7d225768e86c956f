import { commits as cachedCommits, openObjects } from '../objects/objects.ts';
import type { Oid } from '../objects/oid.ts';
import type { Commit } from '../objects/parse-commit.ts';
import type { GitRepository } from '../repo.ts';

/** Beyond this number of commits, git lists them faster. */
const maxListed = 1_000;
/** Reading this many commits one after the other takes as long as a git process. */
const maxRead = 40;
/** The number of commits that are read before it is clear that the rest isn't cached. */
const maxReadAhead = 8;
const maxParents = 100;
/** In seconds. Git treats later dates, and dates that it can't parse, specially. */
const lastSecond = 2 ** 33;

/** A commit that was reached and isn't listed yet. `time` is in seconds. `order` counts commits as they are reached. */
type Pending = { oid: Oid; parents: readonly Oid[]; time: number; order: number };

/**
 * The names of the first `count` commits reachable from a commit, in the order of `git rev-list`: each next one is the newest
 * commit, by committer date, among the parents of listed commits. With equal dates, the one that was reached first comes first.
 * Commits are read through the cache, so after a push only the new ones are read. Undefined if git must compute it: most commits
 * aren't cached, there are too many, or a commit isn't in Git's format.
 */
export async function walkHistory(repo: GitRepository, from: Oid, count: number): Promise<Oid[] | undefined> {
  if (count > maxListed) return undefined;
  await using reader = await openObjects(repo);
  const listed: Oid[] = [];
  const reached = new Set([from]);
  const pending = new PendingQueue();
  let read = 0;
  for (let next = [from]; ; ) {
    const known = next.map((oid) => repo.store.cache.get(repo, cachedCommits, oid));
    const unread = next.filter((_, index) => !known[index]);
    read += unread.length;
    if (read > (count - listed.length > maxRead ? maxReadAhead : maxRead)) return undefined;
    const found = unread.length > 0 ? await reader.findCommits(unread) : undefined;
    for (const [index, oid] of next.entries()) {
      const commit = known[index] ?? found?.get(oid);
      if (!commit || !isUsual(commit)) return undefined;
      pending.add({ oid, parents: commit.parents, time: timeOf(commit) });
    }
    const newest = pending.take();
    if (newest) listed.push(newest.oid);
    if (!newest || listed.length === count) return listed;
    next = [];
    for (const oid of newest.parents) {
      if (reached.has(oid)) continue;
      reached.add(oid);
      next.push(oid);
    }
  }
}

const timeOf = ({ committer }: Commit): number => committer.date.getTime() / 1_000;

function isUsual(commit: Commit): boolean {
  const time = timeOf(commit);
  return time > 0 && time < lastSecond && !commit.committer.name.includes('>') && commit.parents.length <= maxParents;
}

/** A binary heap. The newest commit comes first. With equal times, the one that was reached first. */
class PendingQueue {
  readonly #heap: Pending[] = [];
  #order = 0;

  add(commit: Omit<Pending, 'order'>): void {
    const heap = this.#heap;
    const added = { ...commit, order: this.#order++ };
    let at = heap.length;
    for (; at > 0; ) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (!parent || !isBefore(added, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = added;
  }

  take(): Pending | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!child || !isBefore(child, last)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (one: Pending, other: Pending): boolean =>
  one.time === other.time ? one.order < other.order : one.time > other.time;
