import { GitError } from '../errors.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { failure, startCommand } from '../process/run.ts';
import { isAncestor } from '../refs/resolve.ts';
import type { Repo } from '../repo.ts';

/** Two commits, of which the first may lie in the history of the second. */
export type Pair = { ancestor: Oid; descendant: Oid };

/** Of so many pairs at once the walk keeps a bit with each commit that is still to come. */
const pairsPerBatch = 1_024;

/** Up to so many pairs are asked for one by one: git then reads no more of the history than it needs. */
const fewPairs = 8;

/**
 * Says of each pair, in order, whether the descendant is the ancestor or has it in its history. Of many pairs, one git process
 * answers for a thousand different ones, and commits that aren't there are nobody's ancestors.
 */
export async function areAncestors(repo: Repo, pairs: readonly Pair[]): Promise<boolean[]> {
  const keyOf = ({ ancestor, descendant }: Pair): string => `${checkedOid(ancestor)} ${checkedOid(descendant)}`;
  const open = new Map(pairs.filter(({ ancestor, descendant }) => ancestor !== descendant).map((pair) => [keyOf(pair), pair]));
  const found = new Set<string>();
  const distinct = [...open.values()];
  const search = distinct.length <= fewPairs ? askEach : walk;
  for (let start = 0; start < distinct.length; start += pairsPerBatch)
    for (const pair of await search(repo, distinct.slice(start, start + pairsPerBatch))) found.add(keyOf(pair));
  return pairs.map((pair) => pair.ancestor === pair.descendant || found.has(keyOf(pair)));
}

async function askEach(repo: Repo, pairs: readonly Pair[]): Promise<Pair[]> {
  const found: Pair[] = [];
  for (const pair of pairs) if (await isAncestor(repo, pair.ancestor, pair.descendant)) found.push(pair);
  return found;
}

/**
 * The pairs that are ancestor and descendant. All histories are read together, children before parents: each commit hands on to its
 * parents of which descendants it is in the history, and each ancestor looks for its own descendant when its turn comes.
 */
async function walk(repo: Repo, pairs: readonly Pair[]): Promise<Pair[]> {
  const waiting = new Map<Oid, Pair[]>();
  const marks = new Map<Oid, Marks>();
  const found: Pair[] = [];
  for (const [index, pair] of pairs.entries()) {
    waiting.set(pair.ancestor, [...(waiting.get(pair.ancestor) ?? []), pair]);
    marks.set(pair.descendant, withMark(marks.get(pair.descendant), index, pairs.length));
  }
  const numbers = new Map(pairs.map((pair, index) => [pair, index]));
  const arrive = (line: string): void => {
    const oid = line.slice(0, 40);
    const own = marks.get(oid);
    for (const pair of waiting.get(oid) ?? []) if (own && hasMark(own, numbers.get(pair) ?? 0)) found.push(pair);
    waiting.delete(oid);
    marks.delete(oid);
    if (own) for (let at = 41; at < line.length; at += 41) handOn(marks, line.slice(at, at + 40), own);
  };
  const tips = [...new Set(pairs.flatMap(({ ancestor, descendant }) => [ancestor, descendant]))];
  const args = ['rev-list', '--topo-order', '--parents', '--ignore-missing', '--stdin'];
  const git = await startCommand(repo, args, { input: `${tips.join('\n')}\n`, kind: 'transfer' });
  let rest = '';
  for await (const chunk of git.stdout.setEncoding('latin1')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) arrive(line);
    if (waiting.size > 0) continue;
    git.stop(new GitError('aborted', 'Nothing more is to be found'));
    return found;
  }
  const { code, cause } = await git.ended;
  if (cause) throw cause;
  if (code !== 0) throw failure(args, git.stderr());
  return found;
}

/** Of which descendants, by their numbers, a commit is in the history. Shared between commits, and so never changed. */
type Marks = Uint32Array;

function withMark(marks: Marks | undefined, number: number, count: number): Marks {
  const made = marks?.slice() ?? new Uint32Array(Math.ceil(count / 32));
  made[number >>> 5] = (made[number >>> 5] ?? 0) | (1 << (number & 31));
  return made;
}

const hasMark = (marks: Marks, number: number): boolean => ((marks[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;

function handOn(all: Map<Oid, Marks>, parent: Oid, marks: Marks): void {
  const present = all.get(parent);
  if (present !== marks) all.set(parent, present ? present.map((word, index) => word | (marks[index] ?? 0)) : marks);
}
