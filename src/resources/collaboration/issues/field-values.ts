import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { inRepository } from '#events/scope.ts';
import { keyed } from '#lib/collections.ts';
import {
  type FieldRow,
  formatted,
  type HeldValue,
  isSame,
  loadFieldValues,
  readValues,
  replaceFieldValues,
  type SomeValue,
  type Value,
} from '#resources/collaboration/issue-fields/index.ts';
import type { IssueRow } from './store.ts';
import { type IssueActivity, recordActivity } from './timeline/activity.ts';

/** A change of an issue's value in one field. */
type Change = {
  field: Pick<FieldRow, 'id' | 'name' | 'data_type' | 'organization_id'>;
  before: Value | undefined;
  after: Value | undefined;
};

const valuesOf = async (tx: Tx, { by }: RepositoryAction, issue: IssueRow): Promise<readonly HeldValue[]> =>
  (await loadFieldValues(tx, by, [issue.id])).get(issue.id) ?? [];

/** Sets values of an issue in fields; an empty list clears all that the viewer sees, as in the public API. */
export async function setValues(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  wanted: readonly SomeValue[],
): Promise<void> {
  const current = await valuesOf(scope.tx, action, issue);
  if (wanted.length === 0) return apply(scope, action, issue, current.map(clearedChange));
  const before = keyed(current, ({ field_id }) => field_id);
  const values = await readValues(scope, { organization: action.repo.owner_id, viewer: action.by }, wanted);
  const changes = values.map(({ field, after }) => ({ field, before: before.get(field.id)?.value, after }));
  await apply(scope, action, issue, changes);
}

/**
 * Sets the values in a request that creates or changes an issue. As in the public API they are ignored if the owner is no
 * organization and so has no fields, or if the viewer may not write to the repository.
 */
export async function setValuesIfAllowed(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  wanted: readonly SomeValue[] | undefined,
): Promise<void> {
  const { repo, by } = action;
  const mayWrite = by.grant.kind === 'installation' || reaches(repo.role, 'write');
  if (wanted !== undefined && mayWrite && repo.owner.kind === 'organization') await setValues(scope, action, issue, wanted);
}

/** Clears the value of an issue in a field. */
export async function clearValue(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  current: HeldValue,
): Promise<void> {
  await apply(scope, action, issue, [clearedChange(current)]);
}

const clearedChange = ({ field_id, name, data_type, organization_id, value }: HeldValue): Change => ({
  field: { id: field_id, name, data_type, organization_id },
  before: value,
  after: undefined,
});

/** Writes the changes, with an event and an issue event for each. */
async function apply(scope: WriteScope, action: RepositoryAction, issue: IssueRow, changes: readonly Change[]): Promise<void> {
  const effective = changes.filter(
    ({ field, before, after }) => !(before && after ? isSame(field.data_type, before, after) : before === after),
  );
  await replaceFieldValues(
    scope.tx,
    issue.id,
    effective.map(({ field, after }) => ({ field: field.id, value: after })),
  );
  const activities = effective.map((change): IssueActivity => {
    const done = actionOf(change);
    return {
      event: { ...inRepository(action), kind: `issue.field_${done}`, data: { issue: issue.id, field: change.field.id } },
      issueEvent: { event: `issue_field_${done}`, data: { issue_field: fieldChangeOf(change) } },
    };
  });
  await recordActivity(scope, action, issue, activities);
}

const actionOf = ({ before, after }: Change): 'added' | 'changed' | 'removed' => {
  if (!before) return 'added';
  return after ? 'changed' : 'removed';
};

const fieldChangeOf = ({ field: { id, name, data_type, organization_id }, before, after }: Change) => ({
  id,
  name,
  data_type,
  organization_id,
  ...(after ? { value: formatted(data_type, after) } : {}),
  ...(before ? { previous_value: formatted(data_type, before) } : {}),
});
