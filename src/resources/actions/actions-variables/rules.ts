import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { defined } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { conflict, invalid, type Refusal } from '#lib/refusal.ts';
import {
  type ConfigurationAction,
  checkedName,
  environmentOf,
  eventOriginOf,
  holderOf,
  lockHolder,
  setSelection,
} from '#resources/actions/actions-configuration/index.ts';
import type { Holder } from '#resources/actions/encryption-keys/index.ts';
import { variableLimits } from './limits.ts';
import type { NewOrganizationActionsVariable, OrganizationActionsVariableChange } from './schemas.ts';
import { countVariables, insertVariable, removeVariable, updateVariable, type VariableRow } from './store.ts';

const resource = 'ActionsVariable';
const maxBytes = fixedValue(variableLimits.value);

const maxVariables: Record<Holder['column'], number> = {
  organization_id: fixedValue(variableLimits.inOrganization),
  repository_id: fixedValue(variableLimits.inRepository),
  environment_id: fixedValue(variableLimits.inEnvironment),
};

/** The part of a request about a new variable. Variables of repositories and environments have no visibility. */
type Wanted = Pick<NewOrganizationActionsVariable, 'name' | 'value'> & Partial<NewOrganizationActionsVariable>;

export async function createVariable(scope: WriteScope, action: ConfigurationAction, wanted: Wanted): Promise<void> {
  const { owner, now } = action;
  const { value, visibility = 'private', selected_repository_ids: ids } = wanted;
  const name = checkedName(resource, 'name', wanted.name);
  checkValue(value);
  const holder = holderOf(owner);
  await lockHolder(scope.tx, holder);
  const { total, clash } = await countVariables(scope.tx, holder, name);
  if (clash) throw alreadyThere(name);
  const most = maxVariables[holder.column];
  if (total >= most) throw invalid(resource, 'name', 'unprocessable', `There can be at most ${most} variables here`);
  const selection_id = await setSelection(scope, action, null, { resource, visibility, ids });
  const row = { [holder.column]: holder.id, selection_id, name, value, created_at: now, updated_at: now };
  const { id } = await insertVariable(scope.tx, row);
  await record(scope.tx, { ...eventOriginOf(action), kind: 'actions_variable.created', data: { variable: id } });
}

/** Changes the named fields of a variable. Omitted fields stay as they are. */
export async function changeVariable(
  scope: WriteScope,
  action: ConfigurationAction,
  variable: VariableRow,
  wanted: OrganizationActionsVariableChange,
): Promise<void> {
  const { value, visibility, selected_repository_ids: ids } = wanted;
  const name = wanted.name === undefined ? variable.name : checkedName(resource, 'name', wanted.name);
  if (value !== undefined) checkValue(value);
  if (name !== variable.name && (await countVariables(scope.tx, holderOf(action.owner), name)).clash) throw alreadyThere(name);
  if (variable.visibility !== null && (visibility !== undefined || ids !== undefined)) {
    const selected = { resource, visibility: visibility ?? variable.visibility, ids };
    await setSelection(scope, action, variable.selection_id, selected);
  }
  await updateVariable(scope.tx, variable.id, { ...defined({ value }), name, updated_at: action.now });
  await recordChange(scope, action, variable);
}

export async function deleteVariable(scope: WriteScope, action: ConfigurationAction, variable: VariableRow): Promise<void> {
  await removeVariable(scope.tx, variable);
  const data = { name: variable.name, environment: environmentOf(action.owner) };
  await record(scope.tx, { ...eventOriginOf(action), kind: 'actions_variable.deleted', data });
}

/** Records that the name or the value of a variable changed, or the repositories that may use it. */
export const recordChange = (scope: WriteScope, action: ConfigurationAction, { id }: Pick<VariableRow, 'id'>): Promise<void> =>
  record(scope.tx, { ...eventOriginOf(action), kind: 'actions_variable.changed', data: { variable: id } });

const alreadyThere = (name: string): Refusal => conflict(`There is a variable ${name} already`);

function checkValue(value: string): void {
  if (Buffer.byteLength(value) > maxBytes) throw invalid(resource, 'value', 'too_large', `A value has at most ${maxBytes} bytes`);
}
