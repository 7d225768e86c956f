import type { ObjectInfo, ObjectReader, ObjectType } from '../objects/objects.ts';
import { openObjects } from '../objects/objects.ts';
import { checkedOid, isOid, type Oid } from '../objects/oid.ts';
import { run, runText } from '../process/run.ts';
import type { Repo } from '../repo.ts';
import { refNameProblem } from './ref-name.ts';

/** What a revision names: the object, and the full ref through which it was found. */
export type Resolved = ObjectInfo & { ref?: string };

const shortName = /^[0-9a-f]{4,39}$/i;
/** Bytes of the names that a short one may stand for: where there are more, it stands for none of them. */
const maxNames = 100_000;
const steps = /((?:[~^]\d{0,9})+)$/;

// Refs that can be read by name. Hearth's own are hidden.
const readable = /^refs\/(?:heads|tags|pull|notes)\//;

/**
 * Finds what a user's text names: `HEAD`, a branch, a tag, a full or short object name, `heads/x`, `tags/x`, `refs/heads/x`,
 * each with `~2` or `^` behind it. Nothing else of Git's revision syntax is read. A branch comes before a tag of its name,
 * and both before a short object name.
 */
export async function findRevision(repo: Repo, text: string, options: { peel?: ObjectType } = {}): Promise<Resolved | undefined> {
  await using reader = await openObjects(repo);
  const suffix = steps.exec(text)?.[1] ?? '';
  const found = await findPlain(repo, reader, text.slice(0, text.length - suffix.length));
  if (!found) return undefined;
  const start = suffix === '' ? found : await walk(repo, reader, found.oid, suffix);
  if (!start || !options.peel || start.type === options.peel) return start;
  const peeled = await reader.findInfo(start.oid, { peel: options.peel });
  return peeled && { ...peeled, ...('ref' in start && { ref: start.ref }) };
}

async function findPlain(repo: Repo, reader: ObjectReader, text: string): Promise<Resolved | undefined> {
  const lower = text.toLowerCase();
  if (isOid(lower)) return reader.findInfo(lower);
  for (const ref of candidates(text)) {
    const info = await reader.findInfo(ref);
    if (info) return { ...info, ref };
  }
  return shortName.test(text) ? findShort(repo, reader, lower) : undefined;
}

/** The full ref names that this text may stand for, in order. */
function candidates(text: string): string[] {
  if (text === 'HEAD' || text === '@') return ['HEAD'];
  const names = text.startsWith('refs/') ? [text] : [`refs/heads/${text}`, `refs/tags/${text}`, `refs/${text}`];
  return names.filter((name) => readable.test(name) && !refNameProblem(name));
}

/** The only object whose name begins so. `git rev-parse` prefers commits where kinds differ. */
async function findShort(repo: Repo, reader: ObjectReader, digits: string): Promise<Resolved | undefined> {
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

async function walk(repo: Repo, reader: ObjectReader, from: Oid, suffix: string): Promise<Resolved | undefined> {
  const revision = `${checkedOid(from)}${suffix}^{commit}`;
  const { stdout, code } = await run(repo, ['rev-parse', '--verify', '--quiet', '--end-of-options', revision], {
    codes: [0, 1, 128],
  });
  return code === 0 ? reader.findInfo(stdout.toString('latin1').trim()) : undefined;
}

/** Whether `ancestor` is `descendant` or lies in its history: moving a branch from one to the other is a fast-forward. */
export async function isAncestor(repo: Repo, ancestor: Oid, descendant: Oid): Promise<boolean> {
  if (ancestor === descendant) return true;
  const { code } = await run(repo, ['merge-base', '--is-ancestor', checkedOid(ancestor), checkedOid(descendant)], {
    codes: [0, 1],
  });
  return code === 0;
}

/** The best common ancestor of two commits; undefined for unrelated histories. */
export async function findMergeBase(repo: Repo, one: Oid, other: Oid): Promise<Oid | undefined> {
  const text = await runText(repo, ['merge-base', checkedOid(one), checkedOid(other)], { codes: [0, 1] });
  return text === '' ? undefined : text.slice(0, 40);
}
