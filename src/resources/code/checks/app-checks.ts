// Checks of the server's own apps, such as workflows. They don't come through the API.
import type { Tx } from '#database/connect.ts';
import { recordEach } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { defined, gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { addAnnotations, type EventAction, settleLocked, settleSuite } from './rules.ts';
import type { NewAnnotation } from './schemas.ts';
import type { RunRow, SuiteRow } from './store.ts';
import * as store from './store.ts';

/** A suite of an app. Those of one commit differ by their keys. */
type NewAppSuite = {
  readonly app: Id<'apps'>;
  readonly key: string;
  readonly commit: string;
  readonly branch: string | null;
  /** The user to notify when it ends. */
  readonly by: Id<'accounts'> | undefined;
};

/** A check of an app. Its address may begin with a slash: it is one of this server. */
type NewAppRun = {
  /** An id from `reserveRunIds`, where the app has to know it before. */
  readonly id?: Id<'check_runs'>;
  readonly name: string;
  readonly detailsUrl: string | null;
  readonly status: RunRow['status'];
  readonly conclusion: RunRow['conclusion'];
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
  readonly annotations?: readonly NewAnnotation[];
};

type AppRunChange = {
  readonly status?: RunRow['status'];
  readonly conclusion?: RunRow['conclusion'];
  readonly startedAt?: Date;
  readonly completedAt?: Date;
  readonly title?: string | undefined;
  readonly summary?: string | undefined;
  readonly annotations?: readonly NewAnnotation[];
};

/** Adds a suite, or gives the one that is there. */
export const putAppSuite = (
  tx: Tx,
  { repo, now }: EventAction,
  { app, key, commit, branch, by }: NewAppSuite,
): Promise<SuiteRow> =>
  store.putSuiteForUpdate(tx, {
    repository_id: repo.id,
    app_id: app,
    key,
    head_sha: commit,
    head_branch: branch,
    after_sha: commit,
    pushed_by: by ?? null,
    created_at: now,
    updated_at: now,
  });

/** Adds runs to a suite, in a number of statements that doesn't depend on theirs. Each is the latest of its name. */
export async function createAppRuns(
  tx: Tx,
  action: EventAction,
  id: Id<'check_suites'>,
  wanted: readonly NewAppRun[],
): Promise<RunRow[]> {
  const { now } = action;
  const suite = await store.findSuiteForUpdate(tx, { id });
  if (!suite || wanted.length === 0) return [];
  const runs = await store.insertAppRuns(
    tx,
    suite,
    wanted.map(({ id, name, detailsUrl, status, conclusion, title = null, summary = null, annotations = [] }) => ({
      ...(id === undefined ? {} : { id }),
      name: name.slice(0, maxName),
      status,
      conclusion,
      title,
      summary,
      details_url: detailsUrl,
      external_id: '',
      annotations_count: annotations.length,
      started_at: now,
      completed_at: status === 'completed' ? now : null,
      open_since: status === 'completed' ? null : now,
      created_at: now,
      updated_at: now,
    })),
  );
  for (const [at, run] of runs.entries()) addAnnotations(tx, run, wanted[at]?.annotations ?? []);
  store.removeOldestRuns(tx, suite.id, gather(runs, 'name'));
  const created = runs.map((run) => ({ kind: 'check_run.created' as const, run }));
  const over = runs.filter(({ status }) => status === 'completed').map((run) => ({ kind: 'check_run.completed' as const, run }));
  await recordEach(tx, [...created, ...over], ({ kind, run }) => ({
    ...inRepository(action),
    kind,
    data: { run: run.id, app: run.app_id },
  }));
  await settleSuite(tx, action, suite.id);
  return runs;
}

/** Index rows hold names, which their size bounds. */
const maxName = 255;

/**
 * Notes that runs of a suite have begun, with as many statements for many as for one. The suite is in progress then, whatever its
 * other runs say: its row is locked only where it isn't yet.
 */
export async function beginAppRuns(
  tx: Tx,
  suite: Id<'check_suites'>,
  ids: readonly Id<'check_runs'>[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await Promise.all([store.beginSuite(tx, suite, now), store.beginRuns(tx, suite, ids, now)]);
}

/** Changes a run of an app; its suite follows. One that was deleted is passed over. */
export async function changeAppRun(
  tx: Tx,
  action: EventAction,
  id: Id<'check_runs'>,
  { status, conclusion, startedAt, completedAt, title, summary, annotations = [] }: AppRunChange,
): Promise<void> {
  const [suite, run] = await Promise.all([store.findSuiteOfRunForUpdate(tx, id), store.findRun(tx, id)]);
  if (!suite || !run) return;
  const state = status && {
    status,
    conclusion: conclusion ?? null,
    completed_at: status === 'completed' ? (completedAt ?? action.now) : null,
    open_since: status === 'completed' ? null : (run.open_since ?? action.now),
  };
  const after = await store.updateRun(tx, run.id, {
    ...state,
    ...defined({ title, summary, started_at: startedAt }),
    annotations_count: run.annotations_count + annotations.length,
    updated_at: action.now,
  });
  addAnnotations(tx, run, annotations);
  const isOver = after.conclusion !== null && after.conclusion !== run.conclusion;
  await recordEach(tx, isOver ? [after] : [], ({ app_id }) => ({
    ...inRepository(action),
    kind: 'check_run.completed' as const,
    data: { run: run.id, app: app_id },
  }));
  await settleLocked(tx, action, suite);
}
