import { cached, kindOf } from '../objects/object-cache.ts';
import { commits as cachedCommits, openObjects } from '../objects/objects.ts';
import { checkedOid, type Oid, zeroOid } from '../objects/oid.ts';
import type { Commit } from '../objects/parse-commit.ts';
import { checkPath } from '../objects/paths.ts';
import { readRecords } from '../process/records.ts';
import { runText } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { walkHistory } from './walk.ts';

/** A filter of commits. `authors` and `committers` match any part of `Name <email>`, ignoring case. */
export type HistoryFilter = {
  path?: string;
  authors?: readonly string[];
  committers?: readonly string[];
  since?: Date;
  until?: Date;
};

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

function filterArgs({ authors = [], committers = [], since, until }: HistoryFilter): string[] {
  const people = [...authors.map((text) => `--author=${text}`), ...committers.map((text) => `--committer=${text}`)];
  return [
    ...(people.length > 0 ? ['--fixed-strings', '--regexp-ignore-case', ...people.filter((text) => !/[\0\n]/.test(text))] : []),
    ...(since ? [`--max-age=${seconds(since)}`] : []),
    ...(until ? [`--min-age=${seconds(until)}`] : []),
  ];
}

function pathArgs({ path }: HistoryFilter): string[] {
  if (path === undefined || path === '') return ['--'];
  checkPath(path);
  return ['--', path];
}

/** Cached pages of histories and numbers of commits, by the arguments of `git rev-list`. */
const pages = kindOf<readonly Oid[]>('history');
const counts = kindOf<number>('count');

/** A page of the commits reachable from a commit, newest first. */
export async function listCommits(
  repo: GitRepository,
  options: HistoryFilter & { from: Oid; offset?: number; limit: number },
): Promise<Commit[]> {
  const { from, offset = 0, limit } = options;
  const filter = filterArgs(options);
  const paths = pathArgs(options);
  const isWhole = filter.length === 0 && paths.length === 1;
  const args = [`--skip=${offset}`, `--max-count=${limit}`, ...filter, checkedOid(from), ...paths];
  const oids = await cached(repo, pages, args.join('\0'), async () => {
    const walked = isWhole ? await walkHistory(repo, from, offset + limit) : undefined;
    return walked?.slice(offset) ?? listOids(repo, args);
  });
  return readAll(repo, oids);
}

/** The number of commits reachable from `from` and not from `without`, up to `maxCount`. */
export async function countCommits(
  repo: GitRepository,
  options: HistoryFilter & { from: Oid; without?: Oid; maxCount?: number },
): Promise<number> {
  const { from, without, maxCount = Number.POSITIVE_INFINITY } = options;
  const bound = Number.isFinite(maxCount) ? [`--max-count=${maxCount}`] : [];
  const filter = filterArgs(options);
  const paths = pathArgs(options);
  const argsOf = (oid: Oid, not: Oid | undefined): string[] => [
    ...bound,
    ...filter,
    checkedOid(oid),
    ...(not === undefined ? [] : [`^${checkedOid(not)}`]),
    ...paths,
  ];
  const keyOf = (oid: Oid, not?: Oid): string => argsOf(oid, not).join('\0');
  const count = async (not: Oid | undefined) => Number(await runText(repo, ['rev-list', '--count', ...argsOf(from, not)]));
  return cached(repo, counts, keyOf(from, without), async () => {
    const isWhole = without === undefined && filter.length === 0 && paths.length === 1;
    const base = isWhole ? findCounted(repo, from, keyOf) : undefined;
    if (!base) return count(without);
    return Math.min(maxCount, base.count + (base.isStraight ? base.above : await count(base.oid)));
  });
}

/** The maximum distance to a commit whose number is cached. */
const maxAbove = 250;

/**
 * The nearest commit on the chain of first parents for which the number of commits is cached. `above` is the number of commits
 * from there to `from`. With `isStraight`, no other commits were merged between them.
 */
function findCounted(repo: GitRepository, from: Oid, keyOf: (oid: Oid) => string) {
  const { cache } = repo.store;
  let isStraight = true;
  for (let oid: Oid | undefined = from, above = 0; oid !== undefined && above <= maxAbove; above++) {
    const count = cache.get(repo, counts, keyOf(oid));
    if (count !== undefined) return { oid, count, above, isStraight };
    const parents: readonly Oid[] = cache.get(repo, cachedCommits, oid)?.parents ?? [];
    isStraight &&= parents.length === 1;
    oid = parents[0];
  }
  return undefined;
}

type NewCommitsRange = { from: Oid | null; to: Oid; exclude?: readonly Oid[]; limit: number };

/**
 * The commits that a push added: reachable from `to` and not from `from` (null: a new branch) or `exclude`, oldest first, only
 * the last `limit`. Beyond `maxMessages` characters of messages, later commits are omitted.
 */
export const listNewCommits = async (repo: GitRepository, added: NewCommitsRange & { maxMessages?: number }): Promise<Commit[]> =>
  readAll(repo, await listNewOids(repo, added), added.maxMessages);

/** The object names of the commits of `listNewCommits`. */
export async function listNewOids(repo: GitRepository, options: NewCommitsRange): Promise<Oid[]> {
  const excluded = [...(options.from === null || options.from === zeroOid ? [] : [options.from]), ...(options.exclude ?? [])];
  const tips = [checkedOid(options.to), ...excluded.map((oid) => `^${checkedOid(oid)}`)];
  const input = `${tips.join('\n')}\n`;
  const flags = ['--reverse', '--topo-order', `--max-count=${options.limit}`, '--ignore-missing', '--stdin'];
  const text = await runText(repo, ['rev-list', ...flags], { input });
  return text.split('\n').filter((line) => line !== '');
}

const namesPerBatch = 1_000;

/**
 * The object names of up to `limit` commits reachable from one commit, newest first, in batches of a thousand, for background
 * work.
 */
export async function* readHistory(repo: GitRepository, { from, limit }: { from: Oid; limit: number }): AsyncGenerator<Oid[]> {
  const args = ['rev-list', `--max-count=${limit}`, checkedOid(from), '--'];
  let pending: Oid[] = [];
  // Records may come one by one, so they are collected into batches.
  for await (const lines of readRecords(repo, args, { separator: 10, kind: 'transfer' })) {
    for (const line of lines) pending.push(line.toString('latin1'));
    for (; pending.length >= namesPerBatch; pending = pending.slice(namesPerBatch)) yield pending.slice(0, namesPerBatch);
  }
  if (pending.length > 0) yield pending;
}

async function listOids(repo: GitRepository, args: readonly string[]): Promise<Oid[]> {
  const text = await runText(repo, ['rev-list', ...args]);
  return text.split('\n').filter((line) => line !== '');
}

const readPerBatch = 32;

/** Reads commits. It stops after the batch in which the messages exceed `maxMessages` characters. */
async function readAll(repo: GitRepository, oids: readonly Oid[], maxMessages = Number.POSITIVE_INFINITY): Promise<Commit[]> {
  await using reader = await openObjects(repo);
  if (maxMessages === Number.POSITIVE_INFINITY) return await reader.getCommits(oids);
  const commits: Commit[] = [];
  let length = 0;
  for (let from = 0; from < oids.length && length <= maxMessages; from += readPerBatch) {
    const batch = await reader.getCommits(oids.slice(from, from + readPerBatch));
    length += batch.reduce((sum, { message }) => sum + message.length, 0);
    commits.push(...batch);
  }
  return commits;
}
