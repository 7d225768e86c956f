import { openObjects } from '../objects/objects.ts';
import { checkedOid, type Oid, zeroOid } from '../objects/oid.ts';
import type { Commit } from '../objects/parse-commit.ts';
import { checkPath } from '../objects/paths.ts';
import { readRecords } from '../process/records.ts';
import { runText } from '../process/run.ts';
import type { Repo } from '../repo.ts';

/** Which commits of a history are wanted. `authors` match any part of `Name <email>`, whatever its case. */
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

/** A page of the commits reachable from a commit, newest first. One process finds them, the object reader reads them all. */
export async function listCommits(
  repo: Repo,
  given: HistoryFilter & { from: Oid; offset?: number; limit: number },
): Promise<Commit[]> {
  const page = [`--skip=${given.offset ?? 0}`, `--max-count=${given.limit}`];
  return readAll(repo, await listOids(repo, [...page, ...filterArgs(given), checkedOid(given.from), ...pathArgs(given)]));
}

/** How many commits there are, counted up to `most`. */
export async function countCommits(
  repo: Repo,
  given: HistoryFilter & { from: Oid; without?: Oid; most?: number },
): Promise<number> {
  const bound = given.most === undefined ? [] : [`--max-count=${given.most}`];
  const not = given.without === undefined ? [] : [`^${checkedOid(given.without)}`];
  const args = ['rev-list', '--count', ...bound, ...filterArgs(given), checkedOid(given.from), ...not, ...pathArgs(given)];
  return Number(await runText(repo, args));
}

type Added = { from: Oid | null; to: Oid; exclude?: readonly Oid[]; limit: number };

/**
 * The commits that a push added: those of `to` that `from` doesn't have (null: a new branch), oldest first, the last `limit` of them.
 * `exclude` names further tips whose commits were there before. Past `maxMessages` characters of messages, the later commits are left
 * out.
 */
export const listNewCommits = async (repo: Repo, added: Added & { maxMessages?: number }): Promise<Commit[]> =>
  readAll(repo, await listNewOids(repo, added), added.maxMessages);

/** The names of the commits of `listNewCommits`. */
export async function listNewOids(repo: Repo, given: Added): Promise<Oid[]> {
  const known = [...(given.from === null || given.from === zeroOid ? [] : [given.from]), ...(given.exclude ?? [])];
  const tips = [checkedOid(given.to), ...known.map((oid) => `^${checkedOid(oid)}`)];
  const input = `${tips.join('\n')}\n`;
  const flags = ['--reverse', '--topo-order', `--max-count=${given.limit}`, '--ignore-missing', '--stdin'];
  const text = await runText(repo, ['rev-list', ...flags], { input });
  return text.split('\n').filter((line) => line !== '');
}

const namesPerBatch = 1_000;

/** The names of all commits reachable from one, newest first, a thousand at a time, for background work. At most `limit`. */
export async function* readHistory(repo: Repo, { from, limit }: { from: Oid; limit: number }): AsyncGenerator<Oid[]> {
  const args = ['rev-list', `--max-count=${limit}`, checkedOid(from), '--'];
  let held: Oid[] = [];
  // git may write each name by itself.
  for await (const lines of readRecords(repo, args, { separator: 10, kind: 'transfer' })) {
    for (const line of lines) held.push(line.toString('latin1'));
    for (; held.length >= namesPerBatch; held = held.slice(namesPerBatch)) yield held.slice(0, namesPerBatch);
  }
  if (held.length > 0) yield held;
}

async function listOids(repo: Repo, args: readonly string[]): Promise<Oid[]> {
  const text = await runText(repo, ['rev-list', ...args]);
  return text.split('\n').filter((line) => line !== '');
}

const readPerBatch = 32;

/** Commits by their names. Reading ends when their messages have more characters than `maxMessages`. */
async function readAll(repo: Repo, oids: readonly Oid[], maxMessages = Number.POSITIVE_INFINITY): Promise<Commit[]> {
  await using reader = await openObjects(repo);
  if (maxMessages === Number.POSITIVE_INFINITY) return reader.getCommits(oids);
  const commits: Commit[] = [];
  let length = 0;
  for (let from = 0; from < oids.length && length <= maxMessages; from += readPerBatch) {
    const some = await reader.getCommits(oids.slice(from, from + readPerBatch));
    length += some.reduce((sum, { message }) => sum + message.length, 0);
    commits.push(...some);
  }
  return commits;
}
