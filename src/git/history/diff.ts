import { cached, kindOf } from '../objects/object-cache.ts';
import { checkedOid, emptyTree, type Oid } from '../objects/oid.ts';
import { unquotePath } from '../objects/quoted-path.ts';
import { exceeded } from '../process/exceeded.ts';
import { readRecords } from '../process/records.ts';
import { run } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { type PathChange, parseRawHead } from './changes.ts';

/** A changed file with its counts. `patch` is missing for binary files, files with unchanged content, and beyond the limits. */
export type FileDiff = PathChange & { additions: number; deletions: number; binary: boolean; patch?: string };

/** All changed files and the sums of their counts. `truncated`: the patches of later files are missing. */
export type Diff = { files: FileDiff[]; additions: number; deletions: number; truncated: boolean };

/** The limits on patches, in bytes. */
export type DiffLimits = { patchSize?: number; filePatchSize?: number };

/** The requested part of the diff: only some files, with this number of context lines, or without renames. */
type DiffOptions = { paths?: readonly string[]; context?: number; renames?: false };

const mebi = 1024 * 1024;
const common = ['--full-index', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];

/** Cached diffs, by git's arguments and the limits. */
const diffs = kindOf<Diff>('diff');

/**
 * The diff of two commits or trees (`from: null`: the empty tree), with renames. It has all files and their counts, and patches
 * up to the limits.
 * @throws GitError `too-large` if the names of the files exceed `git.output`
 */
export async function diffTrees(
  repo: GitRepository,
  given: { from: Oid | null; to: Oid } & DiffLimits & DiffOptions,
): Promise<Diff> {
  const from = given.from === null ? emptyTree : checkedOid(given.from);
  const { to, patchSize = 8 * mebi, filePatchSize = mebi, paths = [], context, renames } = given;
  const options = [
    ...(context === undefined ? [] : [`-U${context}`]),
    ...(renames === false ? ['--no-renames'] : []),
    from,
    checkedOid(to),
    '--',
    ...paths,
  ];
  const key = [patchSize, filePatchSize, ...options].join('\0');
  return cached(repo, diffs, key, () => readDiff(repo, { options, patchSize, filePatchSize }));
}

async function readDiff(
  repo: GitRepository,
  { options, patchSize, filePatchSize }: { options: readonly string[] } & Required<DiffLimits>,
): Promise<Diff> {
  const compare = (format: readonly string[]) => ['diff-tree', ...format, ...common, ...options];
  const [files, patch] = await Promise.all([
    readFiles(repo, compare(['--raw', '--numstat'])),
    patchSize === 0 ? undefined : run(repo, compare(['-p']), { maxOutput: patchSize, truncate: true }),
  ]);
  if (patch) attachPatches(files, patch.stdout.toString('utf8'), { complete: !patch.truncated, maxLength: filePatchSize });
  const sum = (key: 'additions' | 'deletions') => files.reduce((total, file) => total + file[key], 0);
  return { files, additions: sum('additions'), deletions: sum('deletions'), truncated: patch?.truncated ?? true };
}

/**
 * The changed files of one page, with their patches, and the number of all changed files. For the others, only names and counts
 * are read.
 */
export async function diffPage(
  repo: GitRepository,
  given: { from: Oid; to: Oid; offset: number; limit: number; most: number },
): Promise<{ files: FileDiff[]; total: number }> {
  const { from, to, offset, limit, most } = given;
  const { files: all } = await diffTrees(repo, { from, to, patchSize: 0 });
  const files = all
    .slice(0, most)
    .slice(offset, offset + limit)
    .map((file) => ({ ...file }));
  if (files.length === 0) return { files, total: all.length };
  const paths = files.flatMap(({ path, previousPath }) => (previousPath === undefined ? [path] : [previousPath, path]));
  const args = ['diff-tree', '-p', ...common, checkedOid(from), checkedOid(to), '--', ...paths];
  const { stdout, truncated } = await run(repo, args, { maxOutput: 8 * mebi, truncate: true });
  const text = stdout.toString('utf8');
  const expected = files.reduce((sum, { status }) => sum + sectionsOf(status), 0);
  if (!truncated && text.split(sectionStart).length - 1 !== expected) {
    // A file replaced a folder, so its path also matches the folder's former contents.
    const whole = await diffTrees(repo, { from, to });
    return { files: whole.files.slice(0, most).slice(offset, offset + limit), total: all.length };
  }
  attachPatches(files, text, { complete: !truncated, maxLength: mebi });
  return { files, total: all.length };
}

async function readFiles(repo: GitRepository, args: readonly string[]): Promise<FileDiff[]> {
  const { limits } = repo.store;
  const files: FileDiff[] = [];
  const read = lineReader(files);
  let bytes = 0;
  for await (const lines of readRecords(repo, args, { separator: 10 })) {
    for (const line of lines) {
      bytes += line.length + 1;
      read(line.toString('utf8'));
    }
    if (bytes > limits.output) throw exceeded(limits, 'output', { message: 'Too many files differ' });
  }
  return files;
}

/** Parses `--raw --numstat` output: raw lines, then a line of counts for each, in the same order. */
function lineReader(files: FileDiff[]): (line: string) => void {
  let counted = 0;
  return (line) => {
    const [head = '', ...names] = line.split('\t');
    const record = parseRawHead(head);
    if (record) {
      const [path = '', next] = names.map(unquotePath);
      const paths = next === undefined ? { path } : { path: next, previousPath: path };
      files.push({ ...paths, ...record, additions: 0, deletions: 0, binary: false });
      return;
    }
    const file = files[counted];
    const counts = /^(\d+|-)\t(\d+|-)\t/.exec(line);
    if (!file || !counts) return;
    counted++;
    file.binary = counts[1] === '-';
    if (file.binary) return;
    file.additions = Number(counts[1]);
    file.deletions = Number(counts[2]);
  };
}

// Content lines begin with a space, +, - or \, so this matches only the beginning of a file's section.
const sectionStart = /^diff --git /m;

/** A type change has two sections: a removal and an addition. */
const sectionsOf = (status: FileDiff['status']): number => (status === 'changed' ? 2 : 1);

/** Sets the patch of each file. Sections are in the order of the files. A type change has two: a removal and an addition. */
function attachPatches(files: FileDiff[], text: string, { complete, maxLength }: { complete: boolean; maxLength: number }): void {
  const sections = text.split(sectionStart).slice(1);
  let at = 0;
  for (const file of files) {
    const count = sectionsOf(file.status);
    const ownSections = sections.slice(at, at + count);
    at += count;
    const cutOff = !complete && at >= sections.length;
    if (cutOff || ownSections.length < count || file.binary) continue;
    const patch = ownSections
      .map(hunksOf)
      .filter((hunks) => hunks !== '')
      .join('\n');
    // A copy, since a substring keeps the whole text in memory.
    if (patch !== '' && patch.length <= maxLength) file.patch = Buffer.from(patch).toString();
  }
}

function hunksOf(section: string): string {
  const start = section.search(/^@@ /m);
  return start < 0 ? '' : section.slice(start).replace(/\n$/, '');
}
