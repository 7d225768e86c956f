// Where comments lie in the diff of a pull request: where they are written, and where that is once the diff is another one.

import type { FileDiff } from '#git/history/diff.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { chunks, gather, getOrThrow, grouped, unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { type FieldCode, invalid, Refusal } from '#lib/refusal.ts';
import { periodicYield } from '#lib/turns.ts';
import {
  areInOneHunk,
  type DiffLine,
  findLine,
  findPosition,
  hunkUntil,
  linesAfter,
  type Patch,
  parseChanges,
  parsePatch,
  type Side,
} from './diff-lines.ts';
import { type Ends, loadChanges, loadFileDiffs } from './file-diffs.ts';
import { reviewLimits } from './limits.ts';
import type { ReviewCommentRow } from './store.ts';

const maxHunk = fixedValue(reviewLimits.hunk);

/** Where somebody wants to comment: at a position of the diff, on lines, or on a file. */
export type WantedLocation = {
  path: string;
  position?: number | undefined;
  line?: number | undefined;
  side?: Side | undefined;
  start_line?: number | undefined;
  start_side?: Side | 'side' | undefined;
  subject_type?: 'line' | 'file' | undefined;
};

/** A location as it was found in a diff. */
export type CommentLocation = Pick<
  ReviewCommentRow,
  | 'path'
  | 'subject_type'
  | 'side'
  | 'start_side'
  | 'original_commit_sha'
  | 'original_base_sha'
  | 'original_position'
  | 'original_line'
  | 'original_start_line'
  | 'diff_hunk'
>;

const refused = (field: string, message?: string, code: FieldCode = message === undefined ? 'invalid' : 'custom') =>
  invalid('PullRequestReviewComment', `pull_request_review_thread.${field}`, code, message);
const notInDiff = (field: string) => refused(field, `pull_request_review_thread.${field} must be part of the diff`);

/** Patches of so many files are held at once, and one of them is parsed: each may have half a million lines. */
const pathsPerBatch = 50;

/** Finds the locations of new comments in the diff of two commits. @throws Refusal 422 where one isn't in it */
export async function findLocations(
  gitRepository: GitRepository,
  ends: Ends,
  wanted: readonly WantedLocation[],
): Promise<CommentLocation[]> {
  const found = new Map<WantedLocation, CommentLocation | Refusal>();
  for (const paths of chunks(unique(gather(wanted, 'path')), pathsPerBatch)) {
    const files = await loadFileDiffs(gitRepository, ends, paths);
    for await (const [location, patch] of withPatches(wanted, paths, files))
      found.set(
        location,
        locationOr(() => ({ ...newLocation(location, files.get(location.path), patch), ...originalEnds(ends) })),
      );
  }
  return wanted.map((location) => {
    const one = getOrThrow(found, location);
    if (one instanceof Refusal) throw one;
    return one;
  });
}

/** The refusal of the first comment counts, though files are read one after the other. */
function locationOr(find: () => CommentLocation): CommentLocation | Refusal {
  try {
    return find();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const originalEnds = ({ from, to }: Ends) => ({ original_commit_sha: to, original_base_sha: from });

/** Locations in some files, each with the patch of its file, which is parsed once. It yields between the files. */
async function* withPatches<Location extends { readonly path: string }>(
  locations: readonly Location[],
  paths: readonly string[],
  files: ReadonlyMap<string, FileDiff>,
): AsyncGenerator<[Location, Patch | undefined]> {
  const yieldNow = periodicYield();
  const byPath = grouped(locations, ({ path }) => path);
  for (const path of paths) {
    await yieldNow();
    const text = files.get(path)?.patch;
    const patch = text === undefined ? undefined : parsePatch(text);
    for (const location of byPath.get(path) ?? []) yield [location, patch];
  }
}

function newLocation(location: WantedLocation, file: FileDiff | undefined, patch: Patch | undefined) {
  if (!file) throw refused('path');
  const found = location.subject_type === 'file' ? wholeFile : findLines(patch, location);
  return { path: location.path, ...found };
}

/** As in the public API, a comment on a file has the first position, and no lines. */
const wholeFile = {
  subject_type: 'file',
  side: 'RIGHT',
  start_side: null,
  original_position: 1,
  original_line: null,
  original_start_line: null,
  diff_hunk: '',
} as const;

function findLines(patch: Patch | undefined, { position, line, ...wanted }: WantedLocation) {
  if (position === undefined && line === undefined) throw refused('line', undefined, 'missing_field');
  const atPosition = position === undefined || !patch ? undefined : findPosition(patch, position);
  if (position !== undefined && !atPosition) throw notInDiff('position');
  const side = atPosition ? sideOf(atPosition) : (wanted.side ?? 'RIGHT');
  const found = atPosition ?? (patch && line !== undefined ? findLine(patch, side, line) : undefined);
  if (!patch || !found) throw notInDiff('line');
  return {
    subject_type: 'line' as const,
    side,
    ...(atPosition ? noStart : findStart(patch, found, side, wanted)),
    original_position: found.position,
    original_line: numberOf(found, side),
    diff_hunk: hunkUntil(patch, found.position, maxHunk),
  };
}

const noStart = { start_side: null, original_start_line: null } as const;

function findStart(patch: Patch, end: DiffLine, side: Side, wanted: Pick<WantedLocation, 'start_line' | 'start_side'>) {
  if (wanted.start_line === undefined) return noStart;
  const start_side = wanted.start_side === undefined || wanted.start_side === 'side' ? side : wanted.start_side;
  const start = findLine(patch, start_side, wanted.start_line);
  if (!start) throw notInDiff('start_line');
  if (!areInOneHunk(patch, start, end))
    throw refused('start_line', 'pull_request_review_thread.start_line must be part of the same hunk as the line.');
  if (start.position >= end.position)
    throw refused('start_line', 'pull_request_review_thread.start_line must precede the end line.');
  return { start_side, original_start_line: wanted.start_line };
}

const sideOf = ({ right }: DiffLine): Side => (right === undefined ? 'LEFT' : 'RIGHT');
const numberOf = ({ left, right }: DiffLine, side: Side): number | null => (side === 'LEFT' ? left : right) ?? null;

/** Where a comment is in another diff than that in which it was written. All are null where its line isn't in that. */
export type PresentLocation = Pick<ReviewCommentRow, 'position' | 'line' | 'start_line'>;

const outdated: PresentLocation = { position: null, line: null, start_line: null };

/**
 * Finds comments in the diff of two other commits than those between which they were written, in the order of the comments. A
 * line is the same if it is unchanged between the two versions of its file; it must have kept its path, and be in the other diff,
 * too.
 */
export async function findPresentLocations(
  gitRepository: GitRepository,
  ends: Ends,
  locations: readonly CommentLocation[],
): Promise<PresentLocation[]> {
  const found = new Map<CommentLocation, PresentLocation>();
  for (const paths of chunks(unique(gather(locations, 'path')), pathsPerBatch)) {
    const shown = await loadFileDiffs(gitRepository, ends, paths);
    const wanted = new Set(paths);
    const here = locations.filter(({ path }) => wanted.has(path));
    for (const some of grouped(here, writtenIn).values()) {
      const mapping = await readMapping(gitRepository, ends, some);
      for await (const [location, patch] of withPatches(some, unique(gather(some, 'path')), shown)) {
        const file = shown.get(location.path);
        found.set(location, mapping && file ? presentLocationOf(location, { file, patch, mapping }) : outdated);
      }
    }
  }
  return locations.map((location) => found.get(location) ?? outdated);
}

/** The two commits between which a comment was written. */
const writtenIn = ({ original_base_sha, original_commit_sha }: CommentLocation): string =>
  `${original_base_sha} ${original_commit_sha}`;

/** How files changed from the commits between which comments were written to the present ones, on either side. */
type Mapping = {
  /** Where a line of the former version is now. */
  lineNow(side: Side, path: string, line: number): number | undefined;
  /** The path that a file had before the change in which it was commented. */
  formerPath(path: string): string;
};

/** Undefined where Git has the former commits no more: they may be cleared away after a push by force. */
async function readMapping(
  gitRepository: GitRepository,
  ends: Ends,
  locations: readonly CommentLocation[],
): Promise<Mapping | undefined> {
  const [first] = locations;
  if (!first) return undefined;
  const written: Ends = { from: first.original_base_sha, to: first.original_commit_sha };
  if (!(await areCommits(gitRepository, [written.from, written.to]))) return undefined;
  const paths = unique(locations.map(({ path }) => path));
  const usesLeft = locations.some(({ side, start_side }) => side === 'LEFT' || start_side === 'LEFT');
  const former = usesLeft ? await loadFileDiffs(gitRepository, written, paths) : undefined;
  const formerPath = (path: string): string => former?.get(path)?.previousPath ?? path;
  const [left, right] = await Promise.all([
    usesLeft ? loadChanges(gitRepository, { from: written.from, to: ends.from }, paths.map(formerPath)) : undefined,
    loadChanges(gitRepository, { from: written.to, to: ends.to }, paths),
  ]);
  // The locations come by their files, so that the latest one is all that has to be kept.
  let latest: { readonly file: FileDiff; readonly after: ReturnType<typeof linesAfter> } | undefined;
  const afterOf = (file: FileDiff, patch: string) => {
    if (latest?.file !== file) latest = { file, after: linesAfter(parseChanges(patch)) };
    return latest.after;
  };
  return {
    formerPath,
    lineNow(side, path, line) {
      const file = side === 'LEFT' ? left?.get(formerPath(path)) : right.get(path);
      if (!file) return line;
      return file.patch === undefined ? undefined : afterOf(file, file.patch)(line);
    },
  };
}

/** Whether Git has these commits. */
export async function areCommits(gitRepository: GitRepository, commits: readonly Oid[]): Promise<boolean> {
  await using reader = await openObjects(gitRepository);
  return (await reader.findInfos(commits)).every((info) => info?.type === 'commit');
}

function presentLocationOf(
  location: CommentLocation,
  { file, patch, mapping }: { file: FileDiff; patch: Patch | undefined; mapping: Mapping },
): PresentLocation {
  const { path, subject_type, side, start_side, original_line, original_start_line } = location;
  if (subject_type === 'file') return { position: 1, line: null, start_line: null };
  const find = (on: Side, line: number | null): DiffLine | undefined => {
    if (line === null || (on === 'LEFT' && (file.previousPath ?? path) !== mapping.formerPath(path))) return undefined;
    const now = mapping.lineNow(on, path, line);
    return now === undefined || !patch ? undefined : findLine(patch, on, now);
  };
  const end = find(side, original_line);
  if (!end) return outdated;
  const start = start_side === null ? undefined : find(start_side, original_start_line);
  return {
    position: end.position,
    line: numberOf(end, side),
    start_line: start && start_side !== null ? numberOf(start, start_side) : null,
  };
}
