import { cached, kindOf } from '#git/objects/object-cache.ts';
import { readPartOfTree } from '#git/objects/tree-list.ts';
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { sourcePageLimits } from './limits.ts';
import type { Location } from './location.ts';

const maxPaths = fixedValue(sourcePageLimits.paths);
const maxShown = fixedValue(sourcePageLimits.foundPaths);

/** Cached paths of commits, one in each line. Git allows line breaks in paths; such paths are left out. */
const lists = kindOf<{ paths: string; isCut: boolean }>('paths');

/** The paths of files that hold all words of a filter, those with the words in the file's own name first. */
export async function findPaths(location: Location, filter: string): Promise<{ paths: string[]; total: number; isCut: boolean }> {
  const { gitRepository, commit } = location;
  const { paths, isCut } = await cached(gitRepository, lists, commit, () => readPaths(location));
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 10);
  const yieldTurn = periodicYield();
  const byName: string[] = [];
  const others: string[] = [];
  for (const path of paths === '' ? [] : paths.split('\n')) {
    await yieldTurn();
    const lower = path.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    const name = lower.slice(lower.lastIndexOf('/') + 1);
    if (words.some((word) => name.includes(word))) byName.push(path);
    else others.push(path);
  }
  const found = [...byName, ...others];
  return { paths: found.slice(0, maxShown), total: found.length, isCut };
}

async function readPaths({ gitRepository, commit }: Location): Promise<{ paths: string; isCut: boolean }> {
  const paths: string[] = [];
  let entries = 0;
  for await (const batch of readPartOfTree(gitRepository, commit, { recursive: true, limit: maxPaths + 1 })) {
    entries += batch.length;
    for (const { path } of batch) if (!path.includes('\n')) paths.push(path);
  }
  return { paths: paths.slice(0, maxPaths).join('\n'), isCut: entries > maxPaths };
}
