import type { Scope } from '#endpoint/scope.ts';
import { isGitError } from '#git/errors.ts';
import { type LastCommits, listLastCommits } from '#git/history/last-commits.ts';
import { openObjects } from '#git/objects/objects.ts';
import { type ListedEntry, listTree } from '#git/objects/tree-list.ts';
import { fixedValue } from '#lib/limits.ts';
import { readSubmodules, submoduleLinks } from '#resources/code/contents/index.ts';
import { presentCommitLine, presentLastCommits } from './commit-lines.ts';
import { sourcePageLimits } from './limits.ts';
import { getEntry, kindOfEntry, type Location, presentLocation } from './location.ts';
import { type Rendering, readReadme } from './rendered-file.ts';
import type { FolderEntry, ShownFolder } from './schemas.ts';

const maxEntries = fixedValue(sourcePageLimits.entries);

/** The folder at a location, with the last commit of each entry, and its README. Of anything else, what it is. */
export async function showFolder(scope: Scope, context: Rendering, location: Location): Promise<ShownFolder> {
  const { gitRepository, commit, path } = location;
  await using reader = await openObjects(gitRepository);
  const folder = await getEntry(reader, location);
  const type = kindOfEntry(folder);
  const shown = { ...presentLocation(location), type };
  if (type !== 'dir') return { ...shown, entries: [], is_cut: false, last_commit: null, readme: null };
  const [{ entries, truncated }, last, readme] = await Promise.all([
    listTree(gitRepository, folder.oid, { limit: maxEntries }),
    lastCommitsOf(location),
    readReadme(context, reader, location),
  ]);
  const hasSubmodules = entries.some(({ mode }) => mode === '160000');
  const submodules = hasSubmodules ? await readSubmodules(reader, commit) : new Map<string, string>();
  const commits = new Map(last.entries);
  const wanted = new Set([...entries.map(({ path: name }) => commits.get(name)), last.latest].filter((oid) => oid !== undefined));
  const found = await reader.findCommits([...wanted]);
  const lines = new Map([...found.values()].map((one) => [one.oid, presentCommitLine(one)]));
  const latest = found.get(last.latest ?? '');
  const present = (entry: ListedEntry): FolderEntry => {
    const full = path === '' ? entry.path : `${path}/${entry.path}`;
    const kind = kindOfEntry(entry);
    return {
      name: entry.path,
      path: full,
      type: kind,
      sha: entry.oid,
      html_url: kind === 'submodule' ? submoduleLinks(context.urls, submodules.get(full), entry.oid).html : null,
      commit: lines.get(commits.get(entry.path) ?? '') ?? null,
    };
  };
  return {
    ...shown,
    entries: foldersFirst(entries).map(present),
    is_cut: truncated,
    last_commit: latest ? ((await presentLastCommits(scope, [latest])).get(latest.oid) ?? null) : null,
    readme,
  };
}

/** The last commits of a folder; none if a version of it is too large to be read. */
async function lastCommitsOf({ gitRepository, commit, path }: Location): Promise<LastCommits> {
  try {
    return await listLastCommits(gitRepository, { commit, path });
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return { latest: undefined, entries: [] };
    throw error;
  }
}

const foldersFirst = (entries: readonly ListedEntry[]): ListedEntry[] => [
  ...entries.filter(({ mode }) => mode === '040000'),
  ...entries.filter(({ mode }) => mode !== '040000'),
];
