// Reads a page of a diff: its files, and the lines of those that are open.
import { diffTrees, type FileDiff } from '#git/history/diff.ts';
import { countWithoutSpace, readPatches } from '#git/history/patches.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Page } from '#lib/page.ts';
import { orNotFound } from '#lib/refusal.ts';
import { diffLimits } from '../limits.ts';
import { maxFiles } from '../rules.ts';
import { expandRows, parseRanges } from './expand.ts';
import { isGenerated } from './generated.ts';
import { parseRows } from './rows.ts';
import type { Diff, DiffFile, DiffQuery } from './schemas.ts';

const maxOpened = fixedValue(diffLimits.opened);
const maxOpenedLines = fixedValue(diffLimits.openedLines);
const largeFile = fixedValue(diffLimits.largeFile);
const maxRows = fixedValue(diffLimits.rows);
const maxPatch = fixedValue(diffLimits.patch);

type Ends = { readonly from: Oid | null; readonly to: Oid };

/** A page of the diff of two commits; `from: null`: of all files of the second. `total`: the number of its files. */
export async function readDiff(
  gitRepository: GitRepository,
  { from, to }: Ends,
  { query, page }: { query: DiffQuery; page: Page },
): Promise<{ body: Diff; total: number }> {
  const ignoresSpace = query.w === '1';
  const [diff, counts] = await Promise.all([
    diffTrees(gitRepository, { from, to, patchSize: 0 }),
    ignoresSpace ? countWithoutSpace(gitRepository, { from, to }) : undefined,
  ]);
  const all = counts ? diff.files.map((file) => ({ ...file, ...(counts.get(file.path) ?? none) })) : diff.files;
  const sum = (field: 'additions' | 'deletions') => all.reduce((total, file) => total + file[field], 0);
  const listed = all.slice(0, maxFiles);
  const ways = { from, to, ignoresSpace };
  const files =
    query.file === undefined
      ? await readFiles(gitRepository, ways, listed.slice(page.offset, page.offset + page.limit), listed.length === 1)
      : [await readOne(gitRepository, ways, orNotFound(all.find(({ path }) => path === query.file)), query)];
  const body = {
    base: from,
    head: to,
    files,
    changed_files: all.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
  };
  return { body, total: query.file === undefined ? listed.length : 1 };
}

const none = { additions: 0, deletions: 0 };

type Ways = Ends & { readonly ignoresSpace: boolean };

/** The files of a page. Those are open that fit on it; `isAlone`: the diff has no other files. */
async function readFiles(
  gitRepository: GitRepository,
  ways: Ways,
  files: readonly FileDiff[],
  isAlone: boolean,
): Promise<DiffFile[]> {
  let [opened, lines] = [0, 0];
  const closed = files.map((file): DiffFile['closed'] => {
    const changed = file.additions + file.deletions;
    if (isAlone) return undefined;
    if (isGenerated(file.path) && changed > 0) return 'generated';
    if (changed > largeFile) return 'large';
    opened++;
    lines += changed;
    return opened > maxOpened || lines > maxOpenedLines ? 'later' : undefined;
  });
  const wanted = files.filter((file, index) => closed[index] === undefined && hasPatch(file));
  const { byPath, isCut } = await readPatches(gitRepository, { ...ways, files: wanted, most: maxPatch });
  const shown: DiffFile[] = [];
  let left = maxRows;
  for (const [index, file] of files.entries()) {
    const why = closed[index] ?? (left <= 0 ? 'later' : undefined);
    const patch = why === undefined ? byPath.get(file.path) : undefined;
    const parsed = patch === undefined ? undefined : await parseRows(patch, { limit: left });
    left -= parsed?.rows.length ?? 0;
    shown.push({
      ...presentFile(file),
      ...(why === undefined ? opening(parsed) : { closed: why }),
      ...(isCut && parsed && file === wanted.at(-1) && { is_cut: true }),
    });
  }
  return shown;
}

/** One file with its lines. */
async function readOne(gitRepository: GitRepository, ways: Ways, file: FileDiff, { row, expand }: DiffQuery): Promise<DiffFile> {
  if (!hasPatch(file)) return { ...presentFile(file), rows: [] };
  const { byPath, isCut } = await readPatches(gitRepository, { ...ways, files: [file], most: maxPatch });
  const parsed = await parseRows(byPath.get(file.path) ?? '', { ...(row === undefined ? {} : { from: row }) });
  const isPlain = byPath.has(file.path) && parsed.next === undefined && row === undefined;
  const blob = file.old && isPlain && expand !== undefined ? file.new?.oid : undefined;
  const { rows, last } =
    blob === undefined || expand === undefined
      ? { ...parsed, last: undefined }
      : await expandRows(gitRepository, parsed.rows, { blob, ranges: parseRanges(expand) });
  return {
    ...presentFile(file),
    ...opening({ rows: byPath.has(file.path) ? rows : [], next: parsed.next }),
    ...(isCut && { is_cut: true }),
    ...(last !== undefined && { last_line: last }),
  };
}

const opening = (parsed: { rows: DiffFile['rows'] & object; next: number | undefined } | undefined) => ({
  rows: parsed?.rows ?? [],
  ...(parsed?.next !== undefined && { next: parsed.next }),
});

const hasPatch = ({ binary, additions, deletions, old: before, new: after }: FileDiff): boolean =>
  !binary && (additions + deletions > 0 || before?.mode === '160000' || after?.mode === '160000');

const presentFile = ({ path, previousPath, status, additions, deletions, binary, ...sides }: FileDiff): DiffFile => {
  const blobOf = (side: FileDiff['old']) => (side ? { mode: side.mode, sha: side.oid } : null);
  return {
    path,
    ...(previousPath !== undefined && { previous_path: previousPath }),
    status,
    additions,
    deletions,
    is_binary: binary,
    old: blobOf(sides.old),
    new: blobOf(sides.new),
  };
};
