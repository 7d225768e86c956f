import { checkedOid, type Oid } from '../objects/oid.ts';
import { readRecords } from '../process/records.ts';
import type { GitRepository } from '../repo.ts';

/** The commits reachable from some objects and not from others. Missing objects are omitted on either side. */
type CommitRange = { readonly to: readonly Oid[]; readonly without: readonly Oid[] };

const inputOf = ({ to, without }: CommitRange): string =>
  [...to.map(checkedOid), ...without.map((oid) => `^${checkedOid(oid)}`), ''].join('\n');

async function readLines(repo: GitRepository, range: CommitRange, flags: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const args = ['rev-list', ...flags, '--ignore-missing', '--stdin'];
  for await (const records of readRecords(repo, args, { separator: 10, kind: 'transfer', input: inputOf(range) }))
    for (const record of records) lines.push(record.toString('latin1'));
  return lines;
}

/** The number of commits of a range. */
export async function countRange(repo: GitRepository, range: CommitRange): Promise<number> {
  const [count = '0'] = await readLines(repo, range, ['--count']);
  return Number(count);
}

/** Commits of a range from an offset on, oldest first. `total` is their number, from `countRange`. */
export async function listRange(
  repo: GitRepository,
  range: CommitRange,
  { total, offset, limit }: { total: number; offset: number; limit: number },
): Promise<Oid[]> {
  const end = Math.max(0, total - offset);
  const start = Math.max(0, end - limit);
  // Git counts from the newest commit.
  const flags = ['--topo-order', `--skip=${start}`, `--max-count=${end - start}`];
  return (await readLines(repo, range, flags)).reverse();
}
