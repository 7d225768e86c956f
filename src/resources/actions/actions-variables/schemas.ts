import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { Patch } from '#lib/shape.ts';
import {
  namedFields,
  selectionFields,
  variableNameLimits,
  wantedSelection,
} from '#resources/actions/actions-configuration/index.ts';
import { variableLimits } from './limits.ts';

const shown = { ...namedFields, value: Type.String() };

export const ActionsVariable = Type.Object(shown);
export type ActionsVariable = Static<typeof ActionsVariable>;

export const OrganizationActionsVariable = Type.Object({ ...shown, ...selectionFields });
export type OrganizationActionsVariable = Static<typeof OrganizationActionsVariable>;

const title = { title: 'ActionsVariable' };

/** The rules limit the bytes of a value, and define the valid names. */
const fields = {
  name: Type.String({ maxLength: fixedValue(variableNameLimits.name) }),
  value: Type.String({ maxLength: fixedValue(variableLimits.value) }),
};

export const NewActionsVariable = Type.Object(fields, title);
export type NewActionsVariable = Static<typeof NewActionsVariable>;

export const NewOrganizationActionsVariable = Type.Object({ ...NewActionsVariable.properties, ...wantedSelection }, title);
export type NewOrganizationActionsVariable = Static<typeof NewOrganizationActionsVariable>;

export const ActionsVariableChange = Patch(NewActionsVariable, title);
export type ActionsVariableChange = Static<typeof ActionsVariableChange>;

export const OrganizationActionsVariableChange = Patch(NewOrganizationActionsVariable, title);
export type OrganizationActionsVariableChange = Static<typeof OrganizationActionsVariableChange>;
