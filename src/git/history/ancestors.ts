import { GitError } from '../errors.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { failure, startCommand } from '../process/run.ts';
import { isAncestor } from '../refs/resolve.ts';
import type { GitRepository } from '../repo.ts';

/** Two commits. The first may be an ancestor of the second. */
export type Pair = { ancestor: Oid; descendant: Oid };

/** The walk keeps one bit for each pair with each commit that it has yet to visit. */
const pairsPerBatch = 1_024;

/** Up to this number of pairs are checked one by one, since git then reads only the necessary part of the history. */
const maxSingleQueries = 8;

/**
 * Whether the first commit of each pair is the second or an ancestor of it, in the order of the pairs. Many pairs need one git
 * process for each thousand. A commit that doesn't exist isn't an ancestor.
 */
export async function areAncestors(repo: GitRepository, pairs: readonly Pair[]): Promise<boolean[]> {
  const keyOf = ({ ancestor, descendant }: Pair): string => `${checkedOid(ancestor)} ${checkedOid(descendant)}`;
  const byKey = new Map(pairs.filter(({ ancestor, descendant }) => ancestor !== descendant).map((pair) => [keyOf(pair), pair]));
  const found = new Set<string>();
  const distinct = [...byKey.values()];
  const search = distinct.length <= maxSingleQueries ? findEach : findTogether;
  for (let start = 0; start < distinct.length; start += pairsPerBatch)
    for (const pair of await search(repo, distinct.slice(start, start + pairsPerBatch))) found.add(keyOf(pair));
  return pairs.map((pair) => pair.ancestor === pair.descendant || found.has(keyOf(pair)));
}

async function findEach(repo: GitRepository, pairs: readonly Pair[]): Promise<Pair[]> {
  const found: Pair[] = [];
  for (const pair of pairs) if (await isAncestor(repo, pair.ancestor, pair.descendant)) found.push(pair);
  return found;
}

/**
 * The pairs that are ancestor and descendant. One walk reads all histories, children before parents. Each commit has a bit set of
 * the descendants that reach it, which is merged into its parents' sets. A pair is found when the walk visits its ancestor.
 */
async function findTogether(repo: GitRepository, pairs: readonly Pair[]): Promise<Pair[]> {
  const pendingByAncestor = new Map<Oid, Pair[]>();
  const bits = new Map<Oid, BitSet>();
  const found: Pair[] = [];
  for (const [index, pair] of pairs.entries()) {
    pendingByAncestor.set(pair.ancestor, [...(pendingByAncestor.get(pair.ancestor) ?? []), pair]);
    bits.set(pair.descendant, withBit(bits.get(pair.descendant), index, pairs.length));
  }
  const numbers = new Map(pairs.map((pair, index) => [pair, index]));
  const visit = (line: string): void => {
    const oid = line.slice(0, 40);
    const reachedFrom = bits.get(oid);
    for (const pair of pendingByAncestor.get(oid) ?? [])
      if (reachedFrom && hasBit(reachedFrom, numbers.get(pair) ?? 0)) found.push(pair);
    pendingByAncestor.delete(oid);
    bits.delete(oid);
    if (reachedFrom) for (let at = 41; at < line.length; at += 41) propagate(bits, line.slice(at, at + 40), reachedFrom);
  };
  const tips = [...new Set(pairs.flatMap(({ ancestor, descendant }) => [ancestor, descendant]))];
  const args = ['rev-list', '--topo-order', '--parents', '--ignore-missing', '--stdin'];
  const git = await startCommand(repo, args, { input: `${tips.join('\n')}\n`, kind: 'transfer' });
  let rest = '';
  for await (const chunk of git.stdout.setEncoding('latin1')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) visit(line);
    if (pendingByAncestor.size > 0) continue;
    git.stop(new GitError('aborted', 'There is nothing more to find'));
    return found;
  }
  const { code, cause } = await git.ended;
  if (cause) throw cause;
  if (code !== 0) throw failure(args, git.stderr());
  return found;
}

/** The descendants that reach a commit, by the indexes of their pairs. Commits share bit sets, so they are never modified. */
type BitSet = Uint32Array;

function withBit(bits: BitSet | undefined, index: number, count: number): BitSet {
  const copy = bits?.slice() ?? new Uint32Array(Math.ceil(count / 32));
  copy[index >>> 5] = (copy[index >>> 5] ?? 0) | (1 << (index & 31));
  return copy;
}

const hasBit = (bits: BitSet, index: number): boolean => ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;

function propagate(all: Map<Oid, BitSet>, parent: Oid, bits: BitSet): void {
  const known = all.get(parent);
  if (known !== bits) all.set(parent, known ? known.map((word, index) => word | (bits[index] ?? 0)) : bits);
}
