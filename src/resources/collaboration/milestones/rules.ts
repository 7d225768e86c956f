import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { defined, formerOf } from '#lib/collections.ts';
import { invalid } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { timestampOrNull } from '#lib/time.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import type { MilestoneChange, NewMilestone } from './schemas.ts';
import { findMilestoneTitled, insertMilestone, type MilestoneRow, removeMilestone, updateMilestone } from './store.ts';

const titleTaken = () => invalid('Milestone', 'title', 'already_exists');
const dateOf = (text: string | null | undefined): Date | null | undefined => (typeof text === 'string' ? new Date(text) : text);

/** Adds a milestone with the next number of its repository. */
export async function createMilestone(scope: WriteScope, action: RepositoryAction, wanted: NewMilestone): Promise<MilestoneRow> {
  const { repo, by, now } = action;
  await lockRepository(scope.tx, repo.id);
  const state = wanted.state ?? 'open';
  const row = await insertMilestone(scope.tx, {
    repository_id: repo.id,
    title: wanted.title,
    description: wanted.description ?? null,
    state,
    due_on: dateOf(wanted.due_on) ?? null,
    closed_at: state === 'closed' ? now : null,
    creator_id: by.account.id,
    created_at: now,
    updated_at: now,
  });
  if (!row) throw titleTaken();
  await record(scope.tx, { ...inRepository(action), kind: 'milestone.created', data: { milestone: row.id } });
  return { ...row, open_issues: 0, closed_issues: 0 };
}

/** Changes a milestone, which includes closing and reopening it. */
export async function changeMilestone(
  scope: WriteScope,
  action: RepositoryAction,
  milestone: MilestoneRow,
  wanted: MilestoneChange,
): Promise<MilestoneRow> {
  const { repo, now } = action;
  const taken = wanted.title === undefined ? undefined : await findMilestoneTitled(scope.tx, repo.id, wanted.title);
  if (taken && taken.id !== milestone.id) throw titleTaken();
  const { title, description, state = milestone.state } = wanted;
  const closed_at = state === milestone.state ? milestone.closed_at : state === 'closed' ? now : null;
  const change = { ...defined({ title, description, due_on: dateOf(wanted.due_on) }), state, closed_at, updated_at: now };
  await updateMilestone(scope.tx, milestone.id, change);
  const after = { ...milestone, ...change };
  const from = {
    ...formerOf(milestone, after, 'title', 'description'),
    ...(milestone.due_on?.getTime() === after.due_on?.getTime() ? {} : { due_on: timestampOrNull(milestone.due_on) }),
  };
  const data = { milestone: milestone.id };
  if (Object.keys(from).length > 0)
    await record(scope.tx, { ...inRepository(action), kind: 'milestone.edited', data: { ...data, from } });
  if (state !== milestone.state)
    await record(scope.tx, { ...inRepository(action), kind: state === 'closed' ? 'milestone.closed' : 'milestone.opened', data });
  return after;
}

/** Deletes a milestone. Its issues stay, without a milestone. */
export async function deleteMilestone(scope: WriteScope, action: RepositoryAction, milestone: MilestoneRow): Promise<void> {
  const { id, title } = milestone;
  await removeMilestone(scope.tx, id);
  await record(scope.tx, { ...inRepository(action), kind: 'milestone.deleted', data: { title, was: snapshotOf(milestone) } });
}
