import { type Static, Type } from 'typebox';
import { changeStatuses } from '#git/history/changes.ts';
import { Nullable, OneOf } from '#lib/shape.ts';

/**
 * A row of a file's diff. `position`: the number of lines above it in the patch; lines that aren't in the patch have none.
 * `left` and `right`: its numbers in the file before and after. `cut`: so many characters of its end are missing. `marks`: the
 * start and end of each changed word.
 */
export const DiffRow = Type.Object({
  kind: OneOf(['hunk', 'context', 'added', 'removed', 'note']),
  position: Type.Optional(Type.Integer()),
  left: Type.Optional(Type.Integer()),
  right: Type.Optional(Type.Integer()),
  text: Type.String(),
  cut: Type.Optional(Type.Integer()),
  marks: Type.Optional(Type.Array(Type.Integer())),
});
export type DiffRow = Static<typeof DiffRow>;

const Blob = Type.Object({ mode: Type.String(), sha: Type.String() });

/**
 * A file of a diff. It has `rows` where it is open, else `closed` says why it isn't. `next`: the position of the first row that
 * has no room on the page. `is_cut`: the patch is too large to be read to its end.
 */
export const DiffFile = Type.Object({
  path: Type.String(),
  previous_path: Type.Optional(Type.String()),
  status: OneOf(changeStatuses),
  additions: Type.Integer(),
  deletions: Type.Integer(),
  is_binary: Type.Boolean(),
  old: Nullable(Blob),
  new: Nullable(Blob),
  closed: Type.Optional(OneOf(['generated', 'large', 'later'])),
  rows: Type.Optional(Type.Array(DiffRow)),
  next: Type.Optional(Type.Integer()),
  is_cut: Type.Optional(Type.Boolean()),
  /** The last line of the file where it is known, so that nothing is offered after it. */
  last_line: Type.Optional(Type.Integer()),
});
export type DiffFile = Static<typeof DiffFile>;

/** A page of a diff: some of its files, and the sums of all. `base` is null for the diff of a first commit. */
export const Diff = Type.Object({
  base: Nullable(Type.String()),
  head: Type.String(),
  files: Type.Array(DiffFile),
  changed_files: Type.Integer(),
  additions: Type.Integer(),
  deletions: Type.Integer(),
});
export type Diff = Static<typeof Diff>;

const flag = Type.Optional(OneOf(['0', '1']));

/**
 * The wanted part of a diff. `w`: without changes of white space. `file`: this file alone, open. Of it, `row` is the position of
 * the first row, and `expand` has ranges of unchanged lines (`10-30,55-80`, by their numbers after the change).
 */
export const DiffQuery = Type.Object({
  w: flag,
  file: Type.Optional(Type.String({ maxLength: 4_096 })),
  row: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
  expand: Type.Optional(Type.String({ maxLength: 1_000, pattern: '^\\d{1,8}-\\d{1,8}(,\\d{1,8}-\\d{1,8})*$' })),
});
export type DiffQuery = Static<typeof DiffQuery>;
