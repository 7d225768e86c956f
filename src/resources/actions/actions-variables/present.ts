import type { Links } from '#endpoint/links.ts';
import { timestamp } from '#lib/time.ts';
import { type ConfigurationOwner, presentSelection } from '#resources/actions/actions-configuration/index.ts';
import type { ActionsVariable, OrganizationActionsVariable } from './schemas.ts';
import type { VariableRow } from './store.ts';

/** A variable without the fields for organizations. */
export const presentPlainVariable = ({ name, value, created_at, updated_at }: VariableRow): ActionsVariable => ({
  name,
  value,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
});

export function presentVariable(
  links: Links,
  owner: ConfigurationOwner,
  row: VariableRow,
): ActionsVariable | OrganizationActionsVariable {
  const { name, visibility } = row;
  if (!('org' in owner) || visibility === null) return presentPlainVariable(row);
  return { ...presentPlainVariable(row), ...presentSelection(links, owner.org, 'actions/variables', { name, visibility }) };
}
