import { checkedOid, emptyTree, type Oid } from '../objects/oid.ts';
import { unquotePath } from '../objects/quoted-path.ts';
import { exceeded } from '../process/exceeded.ts';
import { readRecords } from '../process/records.ts';
import { run } from '../process/run.ts';
import type { Repo } from '../repo.ts';
import { type PathChange, parseRawHead } from './changes.ts';

/** A changed file with its counts. No `patch`: it is binary, unchanged in content, or past the limits. */
export type FileDiff = PathChange & { additions: number; deletions: number; binary: boolean; patch?: string };

/** All changed files and their sums. `truncated`: the patches of the later files are missing. */
export type Diff = { files: FileDiff[]; additions: number; deletions: number; truncated: boolean };

/** Bounds on patch text, in bytes. */
export type DiffLimits = { patchSize?: number; filePatchSize?: number };

const mebi = 1024 * 1024;
const common = ['--full-index', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];

/**
 * Compares two commits or trees (`from: null`: with the empty tree), renames found. The files and their counts are always
 * complete; patches are given up to the limits. Throws `too-large` where the names of the files exceed `git.output`.
 */
export async function diffTrees(repo: Repo, given: { from: Oid | null; to: Oid } & DiffLimits): Promise<Diff> {
  const from = given.from === null ? emptyTree : checkedOid(given.from);
  const patchSize = given.patchSize ?? 8 * mebi;
  const compare = (format: readonly string[]) => ['diff-tree', ...format, ...common, from, checkedOid(given.to), '--'];
  const [files, patch] = await Promise.all([
    readFiles(repo, compare(['--raw', '--numstat'])),
    patchSize === 0 ? undefined : run(repo, compare(['-p']), { maxOutput: patchSize, truncate: true }),
  ]);
  if (patch) attachPatches(files, patch.stdout.toString('utf8'), { whole: !patch.truncated, most: given.filePatchSize ?? mebi });
  const sum = (key: 'additions' | 'deletions') => files.reduce((total, file) => total + file[key], 0);
  return { files, additions: sum('additions'), deletions: sum('deletions'), truncated: patch?.truncated ?? true };
}

async function readFiles(repo: Repo, args: readonly string[]): Promise<FileDiff[]> {
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

/** Reads raw lines, then as many lines of counts in the same order. */
function lineReader(files: FileDiff[]): (line: string) => void {
  let counted = 0;
  return (line) => {
    const [head = '', ...names] = line.split('\t');
    const record = parseRawHead(head);
    if (record) {
      const [path = '', next] = names.map(unquotePath);
      const place = next === undefined ? { path } : { path: next, previousPath: path };
      files.push({ ...place, ...record, additions: 0, deletions: 0, binary: false });
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

// A line of content begins with a space, +, - or \, so this begins a file's section wherever it begins a line.
const sectionStart = /^diff --git /m;

/** Gives each file its hunks. Sections come in the files' order; a change of kind has two: a removal and an addition. */
function attachPatches(files: FileDiff[], text: string, { whole, most }: { whole: boolean; most: number }): void {
  const sections = text.split(sectionStart).slice(1);
  let at = 0;
  for (const file of files) {
    const count = file.status === 'changed' ? 2 : 1;
    const own = sections.slice(at, at + count);
    at += count;
    const cutOff = !whole && at >= sections.length;
    if (cutOff || own.length < count || file.binary) continue;
    const patch = own
      .map(hunksOf)
      .filter((hunks) => hunks !== '')
      .join('\n');
    if (patch !== '' && patch.length <= most) file.patch = patch;
  }
}

function hunksOf(section: string): string {
  const start = section.search(/^@@ /m);
  return start < 0 ? '' : section.slice(start).replace(/\n$/, '');
}
