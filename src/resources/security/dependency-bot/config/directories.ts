// The folders that patterns of a configuration file stand for.
import { matchesPathWithin, type Path, type Pattern, pathOf, segmentOf, star } from '#lib/path-pattern.ts';
import type { Steps } from '#lib/pattern-steps.ts';
import { Refusal } from '#lib/refusal.ts';
import { periodicYield } from '#lib/turns.ts';
import { manifestFolder, type UpdatedEcosystem } from '../updates/contract.ts';

/** The folders with manifests of an ecosystem, among the files of a commit. */
export async function manifestFolders(ecosystem: UpdatedEcosystem, paths: Iterable<string>): Promise<ReadonlySet<string>> {
  const yieldNow = periodicYield();
  const folders = new Set<string>();
  for (const path of paths) {
    const folder = manifestFolder(ecosystem, path);
    if (folder !== undefined) folders.add(folder);
    const pause = yieldNow();
    if (pause) await pause;
  }
  return folders;
}

/**
 * The folders for an entry: those that it names, and those with manifests that its patterns match. `*` stands for any text in a
 * name, and `**` for any folders. It yields between patterns.
 * @param work the steps of all patterns with all folders; what exceeds them matches nothing
 */
export async function directoriesOf(
  { directories }: { readonly directories: readonly string[] },
  folders: ReadonlySet<string>,
  work: Steps,
): Promise<string[]> {
  const named = directories.filter((directory) => !isPattern(directory));
  const found = new Set(named);
  if (named.length === directories.length) return [...found];
  const patterns = directories.filter(isPattern).map(compile);
  const yieldNow = periodicYield();
  for (const folder of [...folders].sort()) {
    const path = pathOf(folder);
    for (const pattern of patterns) {
      if (work.left <= 0) return [...found];
      const pause = yieldNow();
      if (pause) await pause;
      if (!matches(pattern, path, work)) continue;
      found.add(folder);
      break;
    }
  }
  return [...found];
}

const isPattern = (directory: string): boolean => /[*?[]/.test(directory);

const compile = (directory: string): Pattern => directory.split('/').map((name) => (name === '**' ? star : segmentOf(name)));

/** A pattern that takes too many steps matches nothing. */
function matches(pattern: Pattern, folder: Path, work: Steps): boolean {
  try {
    return matchesPathWithin(pattern, folder, work);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
