// The folders that patterns of a configuration file stand for.
import { matchesPath, type Pattern, pathOf, segmentOf, star } from '#lib/path-pattern.ts';
import { Refusal } from '#lib/refusal.ts';
import { manifestFolder, type UpdatedEcosystem } from '../updates/contract.ts';

/**
 * The folders of a commit for an entry: those that it names, and those with manifests of its ecosystem that its patterns match.
 * `paths` are the files of the commit. `*` stands for any text in a name, and `**` for any folders.
 */
export function directoriesOf(
  { ecosystem, directories }: { readonly ecosystem: UpdatedEcosystem; readonly directories: readonly string[] },
  paths: Iterable<string>,
): string[] {
  const named = directories.filter((directory) => !isPattern(directory));
  const patterns = directories.filter(isPattern).map(compile);
  const found = new Set(named);
  if (patterns.length === 0) return [...found];
  const folders = new Set([...paths].flatMap((path) => manifestFolder(ecosystem, path) ?? []));
  for (const folder of [...folders].sort()) if (patterns.some((pattern) => matches(pattern, folder))) found.add(folder);
  return [...found];
}

const isPattern = (directory: string): boolean => /[*?[]/.test(directory);

const compile = (directory: string): Pattern => directory.split('/').map((name) => (name === '**' ? star : segmentOf(name)));

/** A pattern that takes too many steps matches nothing. */
function matches(pattern: Pattern, folder: string): boolean {
  try {
    return matchesPath(pattern, pathOf(folder));
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
