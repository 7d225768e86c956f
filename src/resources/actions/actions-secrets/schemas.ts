import { type Static, Type } from 'typebox';
import { namedFields, selectionFields, wantedSelection } from '#resources/actions/actions-configuration/index.ts';
import { encryptedFields } from '#resources/actions/encryption-keys/index.ts';

/** A secret in replies. Replies never include the value. */
export const ActionsSecret = Type.Object(namedFields);
export type ActionsSecret = Static<typeof ActionsSecret>;

export const OrganizationActionsSecret = Type.Object({ ...namedFields, ...selectionFields });
export type OrganizationActionsSecret = Static<typeof OrganizationActionsSecret>;

export const ActionsSecretValue = Type.Object(encryptedFields, { title: 'ActionsSecret' });
export type ActionsSecretValue = Static<typeof ActionsSecretValue>;

/** A new secret needs a value. Without one, an existing secret keeps its value. */
export const organizationSecretFields = {
  encrypted_value: Type.Optional(encryptedFields.encrypted_value),
  key_id: Type.Optional(encryptedFields.key_id),
  ...wantedSelection,
};

export const OrganizationActionsSecretValue = Type.Object(organizationSecretFields, { title: 'ActionsSecret' });
type OrganizationActionsSecretValue = Static<typeof OrganizationActionsSecretValue>;

/** The part of a request about a secret. Secrets of repositories and environments have no visibility. */
export type WantedSecret = Partial<Omit<OrganizationActionsSecretValue, 'selected_repository_ids'>> & {
  /** Texts are ids in decimal digits. */
  selected_repository_ids?: readonly (number | string)[];
};
