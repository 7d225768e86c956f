import { kindOf } from '../objects/object-cache.ts';
import type { ObjectInfo, ObjectReader, ObjectType } from '../objects/objects.ts';
import { openObjects } from '../objects/objects.ts';
import { checkedOid, isOid, type Oid } from '../objects/oid.ts';
import { run, runText } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { branchRef, refNameProblem } from './ref-name.ts';

/** The object of a revision, and the full name of the matching ref. */
type Resolved = ObjectInfo & { ref?: string };

const shortName = /^[0-9a-f]{4,39}$/i;
/** The maximum size in bytes of the list of objects with a short name. If it is longer, the name is treated as unknown. */
const maxNames = 100_000;
/** No ref name contains these characters, so the first one begins the suffix. */
const suffixStart = /[~^]/;
const suffixPattern = /^(?:[~^]\d{0,9})+$/;

// Refs that can be read by name. Internal refs can't.
const readableRefs = /^refs\/(?:heads|tags|pull|notes)\//;

/**
 * Resolves a revision of a request: `HEAD`, a branch, a tag, a full or short object name, `heads/x`, `tags/x` or `refs/heads/x`,
 * each with an optional suffix such as `~2` or `^`. Git's other revision syntax isn't supported. A branch has precedence over a
 * tag of the same name, and both over a short object name.
 */
export async function findRevision(
  repo: GitRepository,
  text: string,
  options: { peel?: ObjectType } = {},
): Promise<Resolved | undefined> {
  await using reader = await openObjects(repo);
  const start = text.search(suffixStart);
  const suffix = start < 0 ? '' : text.slice(start);
  if (suffix !== '' && !suffixPattern.test(suffix)) return undefined;
  const found = await findWithoutSuffix(repo, reader, text.slice(0, text.length - suffix.length));
  if (!found) return undefined;
  const resolved = suffix === '' ? found : await applySuffix(repo, reader, found.oid, suffix);
  if (!resolved || !options.peel || resolved.type === options.peel) return resolved;
  const peeled = await reader.findInfo(resolved.oid, { peel: options.peel });
  return peeled && { ...peeled, ...('ref' in resolved && { ref: resolved.ref }) };
}

async function findWithoutSuffix(repo: GitRepository, reader: ObjectReader, text: string): Promise<Resolved | undefined> {
  const lower = text.toLowerCase();
  if (isOid(lower)) return reader.findInfo(lower);
  for (const ref of candidates(text)) {
    const info = await reader.findInfo(ref);
    if (info) return { ...info, ref };
  }
  return shortName.test(text) ? findShort(repo, reader, lower) : undefined;
}

/** The full ref names that a text can mean, in order of precedence. */
function candidates(text: string): string[] {
  if (text === 'HEAD' || text === '@') return ['HEAD'];
  const names = text.startsWith('refs/') ? [text] : [branchRef(text), `refs/tags/${text}`, `refs/${text}`];
  return names.filter((name) => readableRefs.test(name) && !refNameProblem(name));
}

/** The object with this short name, if it is unambiguous. As in `git rev-parse`, commits have precedence. */
async function findShort(repo: GitRepository, reader: ObjectReader, digits: string): Promise<Resolved | undefined> {
  const options = { maxOutput: maxNames, truncate: true, codes: [0, 1, 128] };
  const { stdout, code, truncated } = await run(repo, ['rev-parse', '--quiet', `--disambiguate=${digits}`], options);
  if (code !== 0 || truncated) return undefined;
  const infos = (await reader.findInfos(stdout.toString('latin1').split('\n').filter(isOid))).filter(
    (info) => info !== undefined,
  );
  const commits = infos.filter(({ type }) => type === 'commit');
  const wanted = commits.length > 0 ? commits : infos;
  return wanted.length === 1 ? wanted[0] : undefined;
}

/** Cached commits, by revision with a suffix. */
const ancestors = kindOf<ObjectInfo>('ancestor');

async function applySuffix(repo: GitRepository, reader: ObjectReader, from: Oid, suffix: string): Promise<Resolved | undefined> {
  const revision = `${checkedOid(from)}${suffix}^{commit}`;
  const known = repo.store.cache.get(repo, ancestors, revision);
  if (known) return known;
  const { stdout, code } = await run(repo, ['rev-parse', '--verify', '--quiet', '--end-of-options', revision], {
    codes: [0, 1, 128],
  });
  const found = code === 0 ? await reader.findInfo(stdout.toString('latin1').trim()) : undefined;
  if (found) repo.store.cache.set(repo, ancestors, revision, found);
  return found;
}

/** Whether `ancestor` is `descendant` or an ancestor of it, so that moving a branch between them is a fast-forward. */
export async function isAncestor(repo: GitRepository, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true;
  const pair = [checkedOid(ancestor), checkedOid(descendant)] as const;
  if (await isParent(repo, ...pair)) return true;
  const { code } = await run(repo, ['merge-base', '--is-ancestor', ...pair], { codes: [0, 1] });
  return code === 0;
}

/** The common case of pushes and merges: they add one commit. An open reader can check that without starting a process. */
async function isParent(repo: GitRepository, parent: Oid, child: Oid): Promise<boolean> {
  await using reader = await openObjects(repo);
  return (await reader.findCommits([child])).get(child)?.parents.includes(parent) ?? false;
}

/** The best common ancestor of two commits; undefined for unrelated histories. */
export async function findMergeBase(repo: GitRepository, one: Oid, other: Oid): Promise<Oid | undefined> {
  const text = await runText(repo, ['merge-base', checkedOid(one), checkedOid(other)], { codes: [0, 1] });
  return text === '' ? undefined : text.slice(0, 40);
}
