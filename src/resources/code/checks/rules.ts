import type { RepositoryAction } from '#access/action.ts';
import type { SignedIn } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { defined, gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, invalid, invalidFields } from '#lib/refusal.ts';
import { isWebAddress } from '#lib/web-address.ts';
import { listInstalledApps } from '#resources/repositories/apps/index.ts';
import { rollUp } from './roll-up.ts';
import type { CheckRunChange, NewAnnotation, NewCheckRun, PreferencesChange } from './schemas.ts';
import type { RunRow, SuiteRow } from './store.ts';
import * as store from './store.ts';

/** A commit, and the branch whose head it was at the time of the request. */
export type CheckedHead = { commit: Oid; branch: string | null };

/**
 * The app that an installation acts for, since only apps write checks.
 * @throws Refusal 403 for other callers
 */
export function checkingApp({ grant }: SignedIn): Id<'apps'> {
  if (grant.kind !== 'installation') throw forbidden('You must authenticate via an app.');
  return grant.appId;
}

/** Adds the acting app's suite of a commit, or returns the existing one. */
export async function createSuite(
  scope: WriteScope,
  { repo, by, now }: RepositoryAction,
  { commit, branch }: CheckedHead,
): Promise<SuiteRow & { is_new: boolean }> {
  return store.putSuiteForUpdate(scope.tx, {
    repository_id: repo.id,
    app_id: checkingApp(by),
    head_sha: commit,
    head_branch: branch,
    after_sha: commit,
    created_at: now,
    updated_at: now,
  });
}

/** Adds a run to the acting app's suite of a commit. A missing suite is created. */
export async function createRun(
  scope: WriteScope,
  action: RepositoryAction,
  head: CheckedHead,
  wanted: NewCheckRun,
): Promise<RunRow> {
  const { repo, now } = action;
  const { name, details_url, external_id = '', started_at, actions = [], output } = wanted;
  checkAddresses(wanted);
  const state = stateOf(wanted, now) ?? { status: 'queued', conclusion: null, completed_at: null, open_since: now };
  const annotations = annotationsOf(output?.annotations);
  const suite = await createSuite(scope, action, head);
  const run = await store.insertRun(scope.tx, {
    check_suite_id: suite.id,
    repository_id: repo.id,
    app_id: suite.app_id,
    head_sha: head.commit,
    name,
    ...state,
    details_url: details_url ?? null,
    external_id,
    title: output?.title ?? null,
    summary: output?.summary ?? null,
    text: output?.text ?? null,
    annotations_count: annotations.length,
    images: JSON.stringify(output?.images ?? []),
    actions: JSON.stringify(actions),
    started_at: started_at === undefined ? now : new Date(started_at),
    created_at: now,
    updated_at: now,
  });
  addAnnotations(scope.tx, run, annotations);
  store.removeOldestRuns(scope.tx, suite.id, [name]);
  await recordRun(scope.tx, action, 'check_run.created', run);
  if (run.status === 'completed') await recordRun(scope.tx, action, 'check_run.completed', run);
  await settleSuite(scope.tx, action, suite.id);
  return run;
}

/** Changes a run of the acting app. Annotations are appended, and the suite is updated. */
export async function changeRun(
  scope: WriteScope,
  action: RepositoryAction,
  run: RunRow,
  wanted: CheckRunChange,
): Promise<RunRow> {
  const { by, now } = action;
  checkOwn(by, run, 'The check run can only be changed by the app that created it.');
  checkAddresses(wanted);
  const { name = run.name, details_url, external_id, started_at, actions, output } = wanted;
  const state = stateOf(wanted, now, run);
  const annotations = annotationsOf(output?.annotations);
  const after = await store.updateRun(scope.tx, run.id, {
    ...defined({ name, details_url, external_id, title: output?.title, summary: output?.summary, text: output?.text }),
    ...state,
    ...(started_at === undefined ? {} : { started_at: new Date(started_at) }),
    ...(actions === undefined ? {} : { actions: JSON.stringify(actions) }),
    ...(output?.images === undefined ? {} : { images: JSON.stringify(output.images) }),
    annotations_count: run.annotations_count + annotations.length,
    updated_at: now,
  });
  addAnnotations(scope.tx, run, annotations);
  if (name !== run.name) {
    store.updateLatest(scope.tx, run.check_suite_id, [run.name, name]);
    store.removeOldestRuns(scope.tx, run.check_suite_id, [name]);
  }
  if (after.conclusion !== null && after.conclusion !== run.conclusion)
    await recordRun(scope.tx, action, 'check_run.completed', after);
  await settleSuite(scope.tx, action, run.check_suite_id);
  return after;
}

/** Requests a run from its app again. The run stays as it is until the app changes it. Its suite is reopened. */
export async function rerequestRun(scope: WriteScope, action: RepositoryAction, run: RunRow): Promise<void> {
  checkOwn(action.by, run, 'The check run can only be requested again by the app that created it.');
  await reopenSuite(scope.tx, action, run.check_suite_id);
  await recordRun(scope.tx, action, 'check_run.rerequested', run);
}

/** Requests all runs of a suite from its app again. */
export async function rerequestSuite(scope: WriteScope, action: RepositoryAction, suite: SuiteRow): Promise<void> {
  checkOwn(action.by, suite, 'The check suite can only be requested again by the app that created it.');
  await reopenSuite(scope.tx, action, suite.id);
  await recordSuite(scope.tx, action, 'check_suite.rerequested', suite);
}

/**
 * Sets the apps that get a suite on each push.
 * @throws Refusal 422 for apps that aren't installed on the owner of the repository
 */
export async function changePreferences(
  scope: WriteScope,
  { repo }: RepositoryAction,
  { auto_trigger_checks: wanted }: PreferencesChange,
): Promise<void> {
  const settings = new Map(wanted.map(({ app_id, setting }) => [app_id, setting]));
  if (settings.size === 0) return;
  const installed = await listInstalledApps(scope.tx, repo.owner_id, [...settings.keys()]);
  if (installed.length < settings.size)
    throw invalid('CheckSuite', 'auto_trigger_checks', 'invalid', 'app_id must name an app that is installed here');
  const rows = installed.map((app_id) => ({ repository_id: repo.id, app_id, auto_trigger: settings.get(app_id) ?? true }));
  await store.putPreferences(scope.tx, rows);
}

/** The part of an action that events name. */
export type EventAction = Parameters<typeof inRepository>[0];

/** Derives the state of a suite from its latest runs, and records its completion. */
export async function settleSuite(tx: Tx, action: EventAction, id: Id<'check_suites'>): Promise<void> {
  const suite = await store.findSuiteForUpdate(tx, { id });
  if (suite) await settleLocked(tx, action, suite);
}

/** Derives the state of a suite whose row is locked. */
export async function settleLocked(tx: Tx, action: EventAction, suite: SuiteRow): Promise<void> {
  const after = rollUp(await store.countLatestRuns(tx, suite.id));
  await store.updateSuite(tx, suite.id, { ...after, updated_at: action.now });
  if (after.conclusion !== null && after.conclusion !== suite.conclusion)
    await recordSuite(tx, action, 'check_suite.completed', suite);
}

const reopenSuite = (tx: Tx, { now }: EventAction, suite: Id<'check_suites'>) =>
  store.updateSuite(tx, suite, { status: 'queued', conclusion: null, updated_at: now });

type RunKind = 'check_run.created' | 'check_run.completed' | 'check_run.rerequested';

const recordRun = (tx: Tx, action: EventAction, kind: RunKind, { id, app_id }: Pick<RunRow, 'id' | 'app_id'>): Promise<void> =>
  record(tx, { ...inRepository(action), kind, data: { run: id, app: app_id } });

type SuiteKind = 'check_suite.completed' | 'check_suite.rerequested';

const recordSuite = (tx: Tx, action: EventAction, kind: SuiteKind, { id, app_id }: Pick<SuiteRow, 'id' | 'app_id'>) =>
  record(tx, { ...inRepository(action), kind, data: { suite: id, app: app_id } });

/** Marks the open runs of a suite from before a time as stale, since nobody else can. */
export async function concludeStaleRuns(
  scope: WriteScope,
  { id, repository_id, owner_id }: store.StaleSuite,
  { before, now }: { before: Date; now: Date },
): Promise<void> {
  const suite = await store.findSuiteForUpdate(scope.tx, { id });
  if (!suite) return;
  const action = { repo: { id: repository_id, owner_id }, by: {}, now };
  const runs = await store.updateStaleRuns(scope.tx, id, { before, now });
  await recordEach(scope.tx, runs, (run) => ({
    ...inRepository(action),
    kind: 'check_run.completed' as const,
    data: { run: run.id, app: suite.app_id },
  }));
  await settleSuite(scope.tx, action, id);
}

const checkOwn = (by: SignedIn, { app_id }: { app_id: Id<'apps'> }, message: string): void => {
  if (checkingApp(by) !== app_id) throw forbidden(message);
};

type State = Pick<RunRow, 'status' | 'conclusion' | 'completed_at' | 'open_since'>;

/** The state that a request sets; undefined where it sets none. Only a conclusion completes a run (the public API's rule). */
function stateOf(wanted: CheckRunChange, now: Date, before?: RunRow): State | undefined {
  const { status, conclusion, completed_at } = wanted;
  if (conclusion === 'stale') throw invalid('CheckRun', 'conclusion', 'invalid', 'Only the server sets the conclusion stale');
  if (conclusion !== undefined) {
    const kept = before?.completed_at && before.status === 'completed' ? before.completed_at : now;
    return {
      status: 'completed',
      conclusion,
      completed_at: completed_at === undefined ? kept : new Date(completed_at),
      open_since: null,
    };
  }
  if (status === 'completed' || completed_at !== undefined) throw invalid('CheckRun', 'conclusion', 'missing_field');
  if (status === undefined) return undefined;
  return { status, conclusion: null, completed_at: null, open_since: before?.open_since ?? now };
}

/** Checks annotations beyond their schema: the end isn't before the start, and columns need a single line. */
function annotationsOf(wanted: readonly NewAnnotation[] = []): readonly NewAnnotation[] {
  const errors = wanted.flatMap((annotation, at) =>
    problemsOf(annotation).map((message) => ({
      resource: 'CheckRun',
      field: `output.annotations[${at}]`,
      code: 'invalid' as const,
      message,
    })),
  );
  if (errors.length > 0) throw invalidFields(errors);
  return wanted;
}

/** The public API's limit, 64 KB. */
const maxBytes = 65_536;

function problemsOf(annotation: NewAnnotation): string[] {
  const { start_line, end_line, start_column, end_column, message, raw_details = '' } = annotation;
  const hasColumns = start_column !== undefined || end_column !== undefined;
  return [
    end_line < start_line ? ['end_line must not be before start_line'] : [],
    hasColumns && start_line !== end_line ? ['start_column and end_column need an annotation of one line'] : [],
    end_column !== undefined && end_column < (start_column ?? 1) ? ['end_column must not be before start_column'] : [],
    Buffer.byteLength(message) > maxBytes ? [`message must not exceed ${maxBytes} bytes`] : [],
    Buffer.byteLength(raw_details) > maxBytes ? [`raw_details must not exceed ${maxBytes} bytes`] : [],
  ].flat();
}

export function addAnnotations(tx: Tx, { id }: Pick<RunRow, 'id'>, annotations: readonly NewAnnotation[]): void {
  const rows = annotations.map(({ start_column = null, end_column = null, title = null, raw_details = null, ...rest }) => ({
    ...rest,
    check_run_id: id,
    start_column,
    end_column,
    title,
    raw_details,
  }));
  store.insertAnnotations(tx, rows);
}

/** Addresses are shown as links, so only web addresses are allowed. */
function checkAddresses({ details_url, output }: CheckRunChange): void {
  const images = gather(output?.images ?? [], 'image_url');
  if (details_url !== undefined && !isWebAddress(details_url))
    throw invalid('CheckRun', 'details_url', 'invalid', 'details_url must use http or https');
  if (!images.every(isWebAddress)) throw invalid('CheckRun', 'output.images', 'invalid', 'image_url must use http or https');
}
