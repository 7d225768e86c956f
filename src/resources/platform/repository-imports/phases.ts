// The phases of an import. Each reads a list of the source page by page.

import type { Static, TSchema } from 'typebox';
import type { Db } from '#database/connect.ts';
import type { ServedChange, WriteScope } from '#endpoint/scope.ts';
import type { Progress } from '#git/process/progress.ts';
import type { GitStore } from '#git/repo.ts';
import { conflict, Refusal } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { type Target, writeComments, writeIssues, writeLabels, writeMilestones } from './pages.ts';
import { SourceComment, SourceIssue, SourceLabel, SourceMilestone } from './schemas.ts';
import { rowsPerPage, type Source, type SourcePage, SourceRefusal } from './source.ts';
import { clearMissing, findIncomplete, type ImportRow, movePosition, type Phase, type Position } from './store.ts';

/** What an import works with. It has no scope, since it may take hours, and a scope has one time. */
export type ImportContext = {
  db: Db;
  change: ServedChange<'repositoryRules'>;
  git: GitStore;
  clock: () => Date;
  source: Source;
  onProgress: (progress: Progress) => void;
};

/**
 * Reads a phase from the import's position to its end, and moves on to the next one. `root` is the source's address of the
 * repository.
 */
type ReadPhase = (context: ImportContext, target: Target, root: string) => Promise<ImportRow>;

type List<S extends TSchema> = {
  title: string;
  /** The path of the first page, below the repository. */
  path: string;
  shape: S;
  write: (scope: WriteScope, target: Target, rows: Static<S>[]) => Promise<unknown>;
  /** The page after this one; left out: where its `Link` header leads. */
  nextOf?: (address: string, page: SourcePage<Static<S>>) => string | undefined;
  /** Whether a later phase reads what this list lacks, so that it may end early. */
  isCompletedLater?: true;
  /** The next phase. */
  followedBy: Phase;
};

/** The phase of a list. Each page is one transaction, with the position of the next one. */
const list =
  <S extends TSchema>({
    title,
    path,
    shape,
    write,
    nextOf = (_address, { next }) => next,
    isCompletedLater,
    followedBy,
  }: List<S>): ReadPhase =>
  async (context, target, root) => {
    const { change, source, onProgress } = context;
    let { row } = target;
    const { phase } = row;
    for (let done = 0; row.phase === phase; ) {
      const address = row.next_page ?? `${root}${path}${path.includes('?') ? '&' : '?'}per_page=${rowsPerPage}`;
      const page = await readPage(source, address, { shape, isCompletedLater });
      const next = nextOf(address, page);
      if (next === address) throw new Refusal('unavailable', `The source names ${address} as the page after itself`);
      const from = row;
      row = await change(async (scope) => {
        const moved = await advance(
          scope,
          from,
          next === undefined ? { phase: followedBy, next_page: null } : { phase, next_page: next },
        );
        await write(scope, target, page.rows);
        return moved;
      });
      done += page.rows.length;
      onProgress({ phase: title, done, total: done + page.remaining });
    }
    return row;
  };

/** Sources answer 410 for lists that are switched off, and 422 for pages that are too far from the first one. */
async function readPage<S extends TSchema>(
  source: Source,
  address: string,
  { shape, isCompletedLater }: Pick<List<S>, 'shape' | 'isCompletedLater'>,
): Promise<SourcePage<Static<S>>> {
  try {
    return await source.readPage(address, shape);
  } catch (error) {
    const isFar = isCompletedLater && new URL(address).searchParams.has('page');
    if (error instanceof SourceRefusal && (error.status === 410 || (error.status === 422 && isFar))) return nothing;
    throw error;
  }
}

/**
 * The page of the issues that were changed last, or after those of a page. By their times instead of the number of a page, no
 * issue is missed if others before it are deleted meanwhile, and the list may be of any length. The last second is read again,
 * since more issues may have changed in it.
 */
function afterLastUpdate(address: string, { rows, next }: SourcePage<SourceIssue>): string | undefined {
  const last = rows.at(-1);
  if (next === undefined || !last) return next;
  const since = new Date(Date.parse(last.updated_at) - 1_000);
  const url = new URL(address);
  const before = url.searchParams.get('since');
  if (before !== null && since.getTime() <= Date.parse(before)) return next;
  for (const name of ['page', 'after', 'before']) url.searchParams.delete(name);
  url.searchParams.set('since', timestamp(since));
  return url.href;
}

/**
 * Reads the comments of issues one by one where the list of all comments lacked some: servers end that list at some length, and a
 * comment slips to an earlier page if one before it is deleted.
 */
const readMissingComments: ReadPhase = async ({ db, change, source, onProgress }, target, root) => {
  const { row } = target;
  for (let done = 0; ; done++) {
    const incomplete = await findIncomplete(db, row.id);
    if (!incomplete) return row;
    let next: string | undefined = `${root}/issues/${incomplete.number}/comments?per_page=${rowsPerPage}`;
    while (next !== undefined) {
      const page: SourcePage<SourceComment> = await readComments(source, next);
      const isLast: boolean = page.next === undefined || page.next === next;
      await change(async (scope) => {
        await advance(scope, row, row);
        // An issue that moved to another repository leads to comments with another number.
        await writeComments(
          scope,
          target,
          page.rows.filter(({ issue_url }) => issue_url.endsWith(`/issues/${incomplete.number}`)),
        );
        // What the source counts and doesn't show is never going to come.
        if (isLast) await clearMissing(scope.tx, row.id, incomplete.issue);
      });
      next = isLast ? undefined : page.next;
    }
    onProgress({ phase: 'Further comments', done: done + 1, total: done + 1 });
  }
};

/** A page of the comments of one issue, which may have been deleted meanwhile. */
async function readComments(source: Source, address: string): Promise<SourcePage<SourceComment>> {
  try {
    return await source.readPage(address, SourceComment);
  } catch (error) {
    const isGone = error instanceof SourceRefusal && (error.status === 404 || error.status === 410);
    if (!isGone) throw error;
    return nothing;
  }
}

const nothing = { rows: [], next: undefined, remaining: 0 };

const phases: Partial<Record<Phase, ReadPhase>> = {
  labels: list({ title: 'Labels', path: '/labels', shape: SourceLabel, write: writeLabels, followedBy: 'milestones' }),
  milestones: list({
    title: 'Milestones',
    path: '/milestones?state=all',
    shape: SourceMilestone,
    write: writeMilestones,
    followedBy: 'issues',
  }),
  issues: list({
    title: 'Issues',
    path: '/issues?state=all&sort=updated&direction=asc',
    shape: SourceIssue,
    write: writeIssues,
    nextOf: afterLastUpdate,
    followedBy: 'comments',
  }),
  // By their age, since the comments of an issue are shown in the order in which they were inserted.
  comments: list({
    title: 'Comments',
    path: '/issues/comments?sort=created&direction=asc',
    shape: SourceComment,
    write: writeComments,
    isCompletedLater: true,
    followedBy: 'missing_comments',
  }),
};

/** Reads all phases that are left. */
export async function readPhases(context: ImportContext, target: Target, root: string): Promise<Target> {
  let { row } = target;
  for (let read = phases[row.phase]; read; read = phases[row.phase]) row = await read(context, { ...target, row }, root);
  await readMissingComments(context, { ...target, row }, root);
  return { ...target, row };
}

/** Moves an import on, which nobody else may do meanwhile. */
export async function advance(
  scope: WriteScope,
  from: ImportRow,
  to: Position & { finished_at?: Date | null },
): Promise<ImportRow> {
  const { phase, next_page, finished_at } = to;
  const moved = await movePosition(scope.tx, from.id, from, { phase, next_page, ...(finished_at ? { finished_at } : {}) });
  if (!moved) throw conflict('The repository was deleted, or another process imports it at this moment');
  return moved;
}
