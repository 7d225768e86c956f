import { fixedValue } from '#lib/limits.ts';
import { gitLimits } from '../limits.ts';
import { cached, kindOf } from '../objects/object-cache.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { checkPath } from '../objects/paths.ts';
import { runText } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';

/** Successive lines that the same commit has written last. Lines are counted from 1. */
export type BlamedLines = { commit: Oid; from: number; count: number };

const time = fixedValue(gitLimits.blameTime);
const header = /^([0-9a-f]{40}) \d+ (\d+)/;

/** Cached results, by commit, path and lines. */
const results = kindOf<readonly BlamedLines[]>('blame');

type Wanted = { commit: Oid; path: string; from: number; to: number };

/**
 * Which commits have written these lines of a file last.
 * @throws GitError `timeout` beyond `git.blameTime`, or `failed` for lines that don't exist
 */
export async function blameLines(repo: GitRepository, { commit, path, from, to }: Wanted): Promise<readonly BlamedLines[]> {
  checkPath(path);
  const args = ['blame', '--porcelain', `-L${Math.trunc(from)},${Math.trunc(to)}`, checkedOid(commit), '--', path];
  return cached(repo, results, args.join('\0'), async () => parseBlame(await runText(repo, args, { timeout: time })));
}

/** Reads the lines with an object name. Each line of the file follows after a tab. */
function parseBlame(text: string): BlamedLines[] {
  const found: BlamedLines[] = [];
  for (const line of text.split('\n')) {
    const [, commit, number = ''] = header.exec(line) ?? [];
    if (commit === undefined) continue;
    const last = found.at(-1);
    const from = Number(number);
    if (last?.commit === commit && last.from + last.count === from) last.count++;
    else found.push({ commit, from, count: 1 });
  }
  return found;
}
