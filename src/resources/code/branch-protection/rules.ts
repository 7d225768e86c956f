import { isDeepStrictEqual } from 'node:util';
import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { orNotFound, Refusal, unprocessable } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { type ActorKind, actorKinds } from './actor-kinds.ts';
import { loadNames } from './actor-store.ts';
import { protectionLimits } from './limits.ts';
import type { NewProtection, ReviewsChange, StatusChecksChange } from './schemas.ts';
import {
  type Actor,
  countProtections,
  findProtection,
  findProtectionForUpdate,
  insertProtection,
  type Lists,
  type ProtectionRow,
  type ReviewRequirements,
  removeProtection,
  type Settings,
  type StatusChecks,
  setActors,
  updateProtection,
} from './store.ts';
import { checkNumber, checkNumberOfChecks, findLists, wantedChecks, wantedProtection, wantedReviews } from './wanted.ts';

const maxProtections = fixedValue(protectionLimits.protections);

const notEnabled = (what: string): Refusal => new Refusal('not_found', `${what} not enabled`);

/** The required status checks of a protection. @throws Refusal 404 where none are required */
export function getStatusChecks({ status_checks }: ProtectionRow): StatusChecks {
  if (!status_checks) throw notEnabled('Required status checks');
  return status_checks;
}

/**
 * A protection's requirements for reviews.
 * @throws Refusal 404 where none are required
 */
export function getReviews({ reviews }: ProtectionRow): ReviewRequirements {
  if (!reviews) throw notEnabled('Pull request reviews');
  return reviews;
}

/** @throws Refusal 404 where everybody with write access may push */
export function checkRestricted({ restricts_pushes }: ProtectionRow): void {
  if (!restricts_pushes) throw notEnabled('Push restrictions');
}

/**
 * Creates or replaces the protection of a branch. The repository stays locked, so that the second of two concurrent requests
 * changes what the first created.
 */
export async function putProtection(
  scope: WriteScope,
  action: RepositoryAction,
  branch: string,
  body: NewProtection,
): Promise<ProtectionRow> {
  const { repo, now } = action;
  const { settings, lists } = await wantedProtection(scope, action, body);
  await lockRepository(scope.tx, repo.id);
  const found = await findProtection(scope.tx, repo.id, branch);
  const former = found && (await findProtectionForUpdate(scope.tx, found));
  if (former) return changeProtection(scope, action, former, { settings, lists });
  if ((await countProtections(scope.tx, repo.id)) >= maxProtections)
    throw unprocessable(`A repository can have at most ${maxProtections} protected branches`);
  const id = await insertProtection(
    scope.tx,
    { repository_id: repo.id, branch, now },
    { ...settings, required_signatures: false },
  );
  await setActors(scope.tx, id, lists);
  const row = orNotFound(await findProtection(scope.tx, repo.id, branch));
  await record(scope.tx, { ...inRepository(action), kind: 'branch_protection.created', data: { is: snapshotOf(row) } });
  return row;
}

type Changes = { readonly settings?: Partial<Settings>; readonly lists?: Lists };

/** Changes settings and lists of a protection. If all are the same already, nothing happens. */
export async function changeProtection(
  scope: WriteScope,
  action: RepositoryAction,
  row: ProtectionRow,
  { settings = {}, lists = {} }: Changes,
): Promise<ProtectionRow> {
  const changed = Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => !isDeepStrictEqual(value, row[name as keyof Settings])),
  ) as Partial<Settings>; // some of the entries of settings
  const others: Lists = Object.fromEntries(
    Object.entries(lists).filter(([list, actors]) => !isDeepStrictEqual(keysOf(actors), keysOf(actorsOf(row, list)))),
  );
  if (Object.keys({ ...changed, ...others }).length === 0) return row;
  await setActors(scope.tx, row.id, others);
  await updateProtection(scope.tx, row.id, changed, action.now);
  const after = orNotFound(await findProtection(scope.tx, row.repository_id, row.branch));
  await record(scope.tx, {
    ...inRepository(action),
    kind: 'branch_protection.edited',
    data: { was: snapshotOf(row), is: snapshotOf(after) },
  });
  return after;
}

const keyOf = ({ user_id, team_id, app_id }: Actor): string => [user_id, team_id, app_id].join();
const keysOf = (actors: readonly Actor[]): string[] => actors.map(keyOf).sort();
const actorsOf = ({ actors }: ProtectionRow, list: string): Actor[] => actors.filter((actor) => actor.list === list);

export async function deleteProtection(scope: WriteScope, action: RepositoryAction, row: ProtectionRow): Promise<void> {
  await removeProtection(scope.tx, row.id);
  await record(scope.tx, { ...inRepository(action), kind: 'branch_protection.deleted', data: { was: snapshotOf(row) } });
}

/** Replaces the required status checks and the strict mode, as far as the request names them. */
export async function changeStatusChecks(
  scope: WriteScope,
  action: RepositoryAction,
  row: ProtectionRow,
  wanted: StatusChecksChange,
): Promise<ProtectionRow> {
  const status_checks = await wantedChecks(scope, wanted, getStatusChecks(row));
  return changeProtection(scope, action, row, { settings: { status_checks } });
}

export async function changeReviews(
  scope: WriteScope,
  action: RepositoryAction,
  row: ProtectionRow,
  wanted: ReviewsChange,
): Promise<ProtectionRow> {
  const { reviews, lists } = wantedReviews(wanted, getReviews(row));
  return changeProtection(scope, action, row, { settings: { reviews }, lists: await findLists(scope, action, lists) });
}

export async function removeStatusChecks(scope: WriteScope, action: RepositoryAction, row: ProtectionRow): Promise<void> {
  getStatusChecks(row);
  await changeProtection(scope, action, row, { settings: { status_checks: null } });
}

export async function removeReviews(scope: WriteScope, action: RepositoryAction, row: ProtectionRow): Promise<void> {
  getReviews(row);
  await changeProtection(scope, action, row, { settings: { reviews: null }, lists: { dismissal: [], bypass: [] } });
}

export async function removeRestrictions(scope: WriteScope, action: RepositoryAction, row: ProtectionRow): Promise<void> {
  checkRestricted(row);
  await changeProtection(scope, action, row, { settings: { restricts_pushes: false }, lists: { push: [] } });
}

/** How a request changes a list: it adds its entries, replaces the list by them, or removes them. */
export type ListChange = 'add' | 'set' | 'remove';

function listAfter<Entry>(
  change: ListChange,
  former: readonly Entry[],
  given: readonly Entry[],
  keyOf: (entry: Entry) => string,
): Entry[] {
  const has = (entries: readonly Entry[]) => {
    const keys = new Set(entries.map(keyOf));
    return (entry: Entry) => keys.has(keyOf(entry));
  };
  const [isFormer, isGiven] = [has(former), has(given)];
  if (change === 'set') return [...given];
  if (change === 'remove') return former.filter((entry) => !isGiven(entry));
  return [...former, ...given.filter((entry) => !isFormer(entry))];
}

/** Changes the required checks by their contexts. An added check may be reported by any app. */
export async function changeContexts(
  scope: WriteScope,
  action: RepositoryAction,
  row: ProtectionRow,
  { change, contexts }: { change: ListChange; contexts: readonly string[] },
): Promise<StatusChecks> {
  const former = getStatusChecks(row);
  const given = unique(contexts).map(
    (context) => former.checks.find((check) => check.context === context) ?? { context, app_id: null },
  );
  const checks = checkNumberOfChecks(listAfter(change, former.checks, given, ({ context }) => context));
  return getStatusChecks(await changeProtection(scope, action, row, { settings: { status_checks: { ...former, checks } } }));
}

/** Changes who may push, for one kind of actor. Removing an actor who isn't in the list is no error, as in the public API. */
export async function changePushers(
  scope: WriteScope,
  action: RepositoryAction,
  row: ProtectionRow,
  { change, kind, names }: { change: ListChange; kind: ActorKind; names: readonly string[] },
): Promise<ProtectionRow> {
  checkRestricted(row);
  const isOfKind = (actor: Actor) => actor[actorKinds[kind].column] !== null;
  const former = actorsOf(row, 'push').filter(isOfKind);
  const given = change === 'remove' ? await namedAmong(scope, former, names) : await pushersNamed(scope, action, kind, names);
  const others = actorsOf(row, 'push').filter((actor) => !isOfKind(actor));
  const push = checkNumber([...others, ...listAfter(change, former, given, keyOf)]);
  return changeProtection(scope, action, row, { lists: { push } });
}

const pushersNamed = async (scope: WriteScope, action: RepositoryAction, kind: ActorKind, names: readonly string[]) =>
  (await findLists(scope, action, { push: { [kind]: names } })).push ?? [];

async function namedAmong(scope: WriteScope, actors: readonly Actor[], names: readonly string[]): Promise<Actor[]> {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return (await loadNames(scope.tx, actors)).filter(({ name }) => wanted.has(name.toLowerCase()));
}
