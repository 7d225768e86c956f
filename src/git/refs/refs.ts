import { GitError } from '../errors.ts';
import { type ObjectType, openObjects } from '../objects/objects.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { exceeded } from '../process/exceeded.ts';
import { readRecords } from '../process/records.ts';
import { run, runText } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { branchOf, branchRef, checkRefName, heads, hiddenRefs, refNameProblem, shortNameOf } from './ref-name.ts';

/** A ref and its object. `peeled` is the object that an annotated tag points to. */
export type Ref = { name: string; oid: Oid; type: ObjectType; peeled?: { oid: Oid; type: ObjectType } };

/**
 * A page of the refs whose full names begin with `prefix` (`refs/heads/`, `refs/tags/v1`), ordered by name
 * unless another order is wanted. `total` counts all of them. `isWanted` filters by full name.
 */
export async function listRefs(
  repo: GitRepository,
  options: {
    prefix: string;
    descending?: true;
    newestFirst?: true;
    offset?: number;
    limit?: number;
    isWanted?: (name: string) => boolean;
  },
): Promise<{ rows: Ref[]; total: number }> {
  const { prefix, offset = 0, limit = Number.POSITIVE_INFINITY, isWanted } = options;
  const page: RefTip[] = [];
  let total = 0;
  for await (const lines of readRefs(repo, prefix, orderOf(options))) {
    for (const line of lines) {
      if (isWanted && !isWanted(parseRefLine(line).name)) continue;
      if (total >= offset && page.length < limit) page.push(parseRefLine(line));
      total++;
    }
  }
  return { rows: await readRefObjects(repo, page), total };
}

/** By name unless another order is wanted: the reverse, or by the date of the tag or commit. */
function orderOf({ descending, newestFirst }: { descending?: true; newestFirst?: true }): string[] {
  if (newestFirst) return ['--sort=-creatordate'];
  return descending ? ['--sort=-refname'] : [];
}

/** The first names of the refs below `prefix`, without it, up to `count`. */
export async function listFirstNames(
  repo: GitRepository,
  { prefix, count, isDescending = false }: { prefix: 'refs/heads/' | 'refs/tags/'; count: number; isDescending?: boolean },
): Promise<string[]> {
  const sort = isDescending ? ['--sort=-refname'] : [];
  const text = await runText(repo, ['for-each-ref', `--count=${count}`, '--format=%(refname)', ...sort, prefix]);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(prefix.length));
}

/** Whether there is a branch. */
export async function hasBranches(repo: GitRepository): Promise<boolean> {
  await using reader = await openObjects(repo);
  // HEAD names a branch, which usually exists.
  if (await reader.findInfo('HEAD')) return true;
  return (await runText(repo, ['for-each-ref', '--count=1', '--format=1', 'refs/heads'])) !== '';
}

/** The names of the refs below `prefix` that point to this object. @throws GitError `too-large` beyond `git.listedRefs` */
export async function listNamesOf(repo: GitRepository, { prefix, oid }: { prefix: string; oid: Oid }): Promise<string[]> {
  const wanted = Buffer.from(oid, 'latin1');
  const found: string[] = [];
  for await (const lines of readRefs(repo, prefix))
    for (const line of lines) if (line.subarray(0, wanted.length).equals(wanted)) found.push(parseRefLine(line).name);
  if (found.length > repo.store.limits.listedRefs)
    throw exceeded(repo.store.limits, 'listedRefs', { message: 'Too many references name this object' });
  return found;
}

/** The refs in a folder whose history contains this commit, ordered by name, up to `limit`. */
export async function listRefsWith(
  repo: GitRepository,
  oid: Oid,
  { folder, limit }: { folder: string; limit: number },
): Promise<RefTip[]> {
  const format = '--format=%(objectname) %(refname)';
  const args = ['for-each-ref', `--contains=${checkedOid(oid)}`, `--count=${limit}`, format, folder];
  const lines = (await runText(repo, args)).split('\n').filter((line) => line !== '');
  return lines.map((line) => ({ oid: line.slice(0, 40), name: line.slice(41) }));
}

/** The branches whose history contains this commit, ordered by name, up to `limit`. */
export const listBranchesWith = (repo: GitRepository, oid: Oid, limit: number): Promise<RefTip[]> =>
  listRefsWith(repo, oid, { folder: 'refs/heads', limit });

/** The short name of the first branch that points to this commit. */
export async function findBranchAt(repo: GitRepository, oid: Oid): Promise<string | undefined> {
  const args = ['for-each-ref', `--points-at=${checkedOid(oid)}`, '--count=1', '--format=%(refname)', 'refs/heads'];
  const name = (await runText(repo, args)).trimEnd();
  return name === '' ? undefined : name.slice(heads.length);
}

type RefTip = { name: string; oid: Oid };

const parseRefLine = (line: Buffer): RefTip => ({ oid: line.toString('latin1', 0, 40), name: line.toString('utf8', 41) });

/** The names and objects of all refs that begin with the prefix, without internal refs. */
export async function listRefNames(repo: GitRepository, prefix: string): Promise<RefTip[]> {
  const found: RefTip[] = [];
  for await (const lines of readRefs(repo, prefix)) found.push(...lines.map(parseRefLine));
  return found;
}

/** Lines with an object name and a ref name, in batches, since there may be a hundred thousand. */
async function* readRefs(repo: GitRepository, prefix: string, flags: readonly string[] = []): AsyncGenerator<Buffer[]> {
  if (!prefix.startsWith('refs/') || prefix.includes('\0')) throw new GitError('invalid', 'The prefix must begin with refs/');
  const folder = prefix.slice(0, prefix.lastIndexOf('/'));
  // No ref can have such a prefix, and git would interpret it as a pattern.
  if (folder !== 'refs' && refNameProblem(`${folder}/x`)) return;
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...flags, ...(folder === 'refs' ? [] : [folder])];
  const prefixBytes = Buffer.from(prefix);
  for await (const lines of readRecords(repo, args, { separator: 10 }))
    yield lines.filter((line) => hasPrefix(line, prefixBytes) && !hasPrefix(line, internal));
}

const internal = Buffer.from(`${hiddenRefs.always}/`);

const hasPrefix = (line: Buffer, prefixBytes: Buffer): boolean => line.subarray(41, 41 + prefixBytes.length).equals(prefixBytes);

async function readRefObjects(repo: GitRepository, found: readonly { name: string; oid: Oid }[]): Promise<Ref[]> {
  await using reader = await openObjects(repo);
  return Promise.all(
    found.map(async ({ name, oid }): Promise<Ref> => {
      const type = (await reader.findInfo(oid))?.type ?? 'commit';
      if (type !== 'tag') return { name, oid, type };
      const target = await reader.findInfo(oid, { peel: 'commit' });
      return target ? { name, oid, type, peeled: { oid: target.oid, type: target.type } } : { name, oid, type };
    }),
  );
}

/**
 * The ref with this full name, if it exists. The object reader would also find `refs/heads/refs/heads/x` for `refs/heads/x`, but
 * such refs can't be created (`misleadingRefProblem`).
 */
export async function findRef(repo: GitRepository, name: string): Promise<Ref | undefined> {
  if (refNameProblem(name)) return undefined;
  await using reader = await openObjects(repo);
  const oid = (await reader.findInfo(name))?.oid;
  if (oid === undefined) return undefined;
  const [ref] = await readRefObjects(repo, [{ name, oid }]);
  return ref;
}

/** A branch: its full name, its name without `refs/heads/`, and its commit. */
export type Branch = { name: string; short: string; oid: Oid };

/** A branch by its name, with or without the prefix `refs/heads/`. */
export async function findBranch(repo: GitRepository, name: string): Promise<Branch | undefined> {
  const short = shortNameOf(name);
  const found = await findRef(repo, branchRef(short));
  return found?.type === 'commit' ? { name: found.name, short, oid: found.oid } : undefined;
}

/** The objects of these refs, read by one process. Refs that don't exist are omitted. */
export async function findRefOids(repo: GitRepository, names: readonly string[]): Promise<Map<string, Oid>> {
  const wanted = new Set(names);
  const found = await listRefNames(repo, 'refs/');
  return new Map(found.filter(({ name }) => wanted.has(name)).map(({ name, oid }) => [name, oid]));
}

/** The branch that HEAD points to, and its commit. There is no `oid` if the branch doesn't exist. */
export async function getDefaultBranch(repo: GitRepository): Promise<{ name: string; oid?: Oid } | undefined> {
  const text = await runText(repo, ['symbolic-ref', '--quiet', 'HEAD'], { codes: [0, 1] });
  const name = branchOf(text.trimEnd());
  if (name === undefined) return undefined;
  await using reader = await openObjects(repo);
  const oid = (await reader.findInfo('HEAD'))?.oid;
  return { name, ...(oid !== undefined && { oid }) };
}

/** Points HEAD to a branch, which need not exist. */
export async function setDefaultBranch(repo: GitRepository, branch: string): Promise<void> {
  checkRefName(branchRef(branch));
  await run(repo, ['symbolic-ref', 'HEAD', branchRef(branch)]);
}
