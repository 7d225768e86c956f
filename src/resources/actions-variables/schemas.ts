import { type Static, Type } from 'typebox';
import { Patch } from '#lib/shape.ts';
import { namedFields, selectionFields, wantedSelection } from '#resources/actions-configuration/index.ts';

const shown = { ...namedFields, value: Type.String() };

export const ActionsVariable = Type.Object(shown);
export type ActionsVariable = Static<typeof ActionsVariable>;

export const OrganizationActionsVariable = Type.Object({ ...shown, ...selectionFields });
export type OrganizationActionsVariable = Static<typeof OrganizationActionsVariable>;

const title = { title: 'ActionsVariable' };

export const NewActionsVariable = Type.Object({ name: Type.String(), value: Type.String() }, title);
export type NewActionsVariable = Static<typeof NewActionsVariable>;

export const NewOrganizationActionsVariable = Type.Object({ ...NewActionsVariable.properties, ...wantedSelection }, title);
export type NewOrganizationActionsVariable = Static<typeof NewOrganizationActionsVariable>;

export const ActionsVariableChange = Patch(NewActionsVariable, title);
export type ActionsVariableChange = Static<typeof ActionsVariableChange>;

export const OrganizationActionsVariableChange = Patch(NewOrganizationActionsVariable, title);
export type OrganizationActionsVariableChange = Static<typeof OrganizationActionsVariableChange>;
