import { openObjects } from '../objects/objects.ts';
import { checkedOid, type Oid, zeroOid } from '../objects/oid.ts';
import type { Commit } from '../objects/parse-commit.ts';
import { checkPath } from '../objects/paths.ts';
import { readRecords } from '../process/records.ts';
import { runText } from '../process/run.ts';
import type { Repo } from '../repo.ts';

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

/** A page of the commits that are reachable from a commit, newest first. */
export async function listCommits(
  repo: Repo,
  options: HistoryFilter & { from: Oid; offset?: number; limit: number },
): Promise<Commit[]> {
  const page = [`--skip=${options.offset ?? 0}`, `--max-count=${options.limit}`];
  return readAll(repo, await listOids(repo, [...page, ...filterArgs(options), checkedOid(options.from), ...pathArgs(options)]));
}

/** The number of commits that are reachable from `from` and not from `without`, counted up to `maxCount`. */
export async function countCommits(
  repo: Repo,
  options: HistoryFilter & { from: Oid; without?: Oid; maxCount?: number },
): Promise<number> {
  const bound = options.maxCount === undefined ? [] : [`--max-count=${options.maxCount}`];
  const not = options.without === undefined ? [] : [`^${checkedOid(options.without)}`];
  const args = ['rev-list', '--count', ...bound, ...filterArgs(options), checkedOid(options.from), ...not, ...pathArgs(options)];
  return Number(await runText(repo, args));
}

type NewCommitsRange = { from: Oid | null; to: Oid; exclude?: readonly Oid[]; limit: number };

/**
 * The commits that a push added: those reachable from `to` and not from `from` (null: a new branch) or `exclude`, oldest first,
 * the last `limit` of them. Beyond `maxMessages` characters of messages, later commits are omitted.
 */
export const listNewCommits = async (repo: Repo, added: NewCommitsRange & { maxMessages?: number }): Promise<Commit[]> =>
  readAll(repo, await listNewOids(repo, added), added.maxMessages);

/** The object names of the commits of `listNewCommits`. */
export async function listNewOids(repo: Repo, options: NewCommitsRange): Promise<Oid[]> {
  const excluded = [...(options.from === null || options.from === zeroOid ? [] : [options.from]), ...(options.exclude ?? [])];
  const tips = [checkedOid(options.to), ...excluded.map((oid) => `^${checkedOid(oid)}`)];
  const input = `${tips.join('\n')}\n`;
  const flags = ['--reverse', '--topo-order', `--max-count=${options.limit}`, '--ignore-missing', '--stdin'];
  const text = await runText(repo, ['rev-list', ...flags], { input });
  return text.split('\n').filter((line) => line !== '');
}

const namesPerBatch = 1_000;

/**
 * The object names of up to `limit` commits that are reachable from one, newest first, in batches of a thousand, for background
 * work.
 */
export async function* readHistory(repo: Repo, { from, limit }: { from: Oid; limit: number }): AsyncGenerator<Oid[]> {
  const args = ['rev-list', `--max-count=${limit}`, checkedOid(from), '--'];
  let pending: Oid[] = [];
  // Records may come one by one, so they are collected into batches.
  for await (const lines of readRecords(repo, args, { separator: 10, kind: 'transfer' })) {
    for (const line of lines) pending.push(line.toString('latin1'));
    for (; pending.length >= namesPerBatch; pending = pending.slice(namesPerBatch)) yield pending.slice(0, namesPerBatch);
  }
  if (pending.length > 0) yield pending;
}

async function listOids(repo: Repo, args: readonly string[]): Promise<Oid[]> {
  const text = await runText(repo, ['rev-list', ...args]);
  return text.split('\n').filter((line) => line !== '');
}

const readPerBatch = 32;

/** Reads commits. It stops after the batch in which the messages exceed `maxMessages` characters. */
async function readAll(repo: Repo, oids: readonly Oid[], maxMessages = Number.POSITIVE_INFINITY): Promise<Commit[]> {
  await using reader = await openObjects(repo);
  if (maxMessages === Number.POSITIVE_INFINITY) return reader.getCommits(oids);
  const commits: Commit[] = [];
  let length = 0;
  for (let from = 0; from < oids.length && length <= maxMessages; from += readPerBatch) {
    const batch = await reader.getCommits(oids.slice(from, from + readPerBatch));
    length += batch.reduce((sum, { message }) => sum + message.length, 0);
    commits.push(...batch);
  }
  return commits;
}
