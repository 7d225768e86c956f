import { GitError } from '../errors.ts';
import { type ObjectType, openObjects } from '../objects/objects.ts';
import type { Oid } from '../objects/oid.ts';
import { exceeded } from '../process/exceeded.ts';
import { readRecords } from '../process/records.ts';
import { run, runText } from '../process/run.ts';
import type { Repo } from '../repo.ts';
import { checkRefName, hiddenRefs, refNameProblem } from './ref-name.ts';

/** A ref and what it names. `peeled` is the object behind an annotated tag. */
export type Ref = { name: string; oid: Oid; type: ObjectType; peeled?: { oid: Oid; type: ObjectType } };

/**
 * The refs whose full names begin with `prefix` (`refs/heads/`, `refs/tags/v1`), in order of their names or, `descending`,
 * against it. `total` counts all of them, `rows` is the page.
 */
export async function listRefs(
  repo: Repo,
  options: { prefix: string; descending?: true; offset?: number; limit?: number },
): Promise<{ rows: Ref[]; total: number }> {
  const { prefix, offset = 0, limit = Number.POSITIVE_INFINITY } = options;
  const page: Named[] = [];
  let total = 0;
  for await (const lines of readRefs(repo, prefix, options.descending ? ['--sort=-refname'] : [])) {
    for (const line of lines) {
      if (total >= offset && page.length < limit) page.push(named(line));
      total++;
    }
  }
  return { rows: await describe(repo, page), total };
}

/** Whether there is a ref whose full name lies below this folder (`refs/heads`). */
export async function hasRefs(repo: Repo, folder: string): Promise<boolean> {
  return (await runText(repo, ['for-each-ref', '--count=1', '--format=1', folder])) !== '';
}

/** The names of refs in a folder (`refs/heads/`) that name this very object; throws `too-large` beyond `git.listedRefs`. */
export async function listNamesOf(repo: Repo, { prefix, oid }: { prefix: string; oid: Oid }): Promise<string[]> {
  const wanted = Buffer.from(oid, 'latin1');
  const found: string[] = [];
  for await (const lines of readRefs(repo, prefix))
    for (const line of lines) if (line.subarray(0, wanted.length).equals(wanted)) found.push(named(line).name);
  if (found.length > repo.store.limits.listedRefs)
    throw exceeded(repo.store.limits, 'listedRefs', { message: 'Too many references name this object' });
  return found;
}

type Named = { name: string; oid: Oid };

const named = (line: Buffer): Named => ({ oid: line.toString('latin1', 0, 40), name: line.toString('utf8', 41) });

/** Names and objects of all refs that begin with the prefix. Internal refs are never among them. */
export async function listRefNames(repo: Repo, prefix: string): Promise<Named[]> {
  const found: Named[] = [];
  for await (const lines of readRefs(repo, prefix)) found.push(...lines.map(named));
  return found;
}

/** Lines of an object's name and a ref's, some at a time: there may be a hundred thousand. */
async function* readRefs(repo: Repo, prefix: string, flags: readonly string[] = []): AsyncGenerator<Buffer[]> {
  if (!prefix.startsWith('refs/') || prefix.includes('\0')) throw new GitError('invalid', 'The prefix must begin with refs/');
  const folder = prefix.slice(0, prefix.lastIndexOf('/'));
  // Such a prefix can begin no name, and git would read it as a pattern.
  if (folder !== 'refs' && refNameProblem(`${folder}/x`)) return;
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...flags, ...(folder === 'refs' ? [] : [folder])];
  const beginning = Buffer.from(prefix);
  for await (const lines of readRecords(repo, args, { separator: 10 }))
    yield lines.filter((line) => beginsWith(line, beginning) && !beginsWith(line, internal));
}

const internal = Buffer.from(`${hiddenRefs.always}/`);

const beginsWith = (line: Buffer, beginning: Buffer): boolean => line.subarray(41, 41 + beginning.length).equals(beginning);

async function describe(repo: Repo, found: readonly { name: string; oid: Oid }[]): Promise<Ref[]> {
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
 * The ref of exactly this full name, if it exists. Read by the object reader, which would also find `refs/heads/refs/heads/x`
 * for `refs/heads/x`: such names can't be made (`misleadingRefProblem`).
 */
export async function findRef(repo: Repo, name: string): Promise<Ref | undefined> {
  if (refNameProblem(name)) return undefined;
  await using reader = await openObjects(repo);
  const oid = (await reader.findInfo(name))?.oid;
  if (oid === undefined) return undefined;
  const [ref] = await describe(repo, [{ name, oid }]);
  return ref;
}

/** The object that each of these refs names now; refs that don't exist are left out. One process, however many they are. */
export async function findRefOids(repo: Repo, names: readonly string[]): Promise<Map<string, Oid>> {
  const wanted = new Set(names);
  const found = await listRefNames(repo, 'refs/');
  return new Map(found.filter(({ name }) => wanted.has(name)).map(({ name, oid }) => [name, oid]));
}

/** The branch that HEAD names, and the commit there; no `oid` in a repository where that branch doesn't exist. */
export async function getDefaultBranch(repo: Repo): Promise<{ name: string; oid?: Oid } | undefined> {
  const text = await runText(repo, ['symbolic-ref', '--quiet', 'HEAD'], { codes: [0, 1] });
  const ref = text.trimEnd();
  if (!ref.startsWith('refs/heads/')) return undefined;
  await using reader = await openObjects(repo);
  const oid = (await reader.findInfo('HEAD'))?.oid;
  return { name: ref.slice('refs/heads/'.length), ...(oid !== undefined && { oid }) };
}

/** Points HEAD at a branch, existing or not. */
export async function setDefaultBranch(repo: Repo, branch: string): Promise<void> {
  checkRefName(`refs/heads/${branch}`);
  await run(repo, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}
