import { Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { namedFields, selectionFields } from '#resources/actions/actions-configuration/index.ts';
import { organizationSecretFields } from '#resources/actions/actions-secrets/index.ts';
import { encryptedFields } from '#resources/actions/encryption-keys/index.ts';

export const DependencyBotSecret = Type.Object(namedFields);
export const OrganizationDependencyBotSecret = Type.Object({ ...namedFields, ...selectionFields });

const title = { title: 'DependencyBotSecret' };

export const DependencyBotSecretValue = Type.Object(encryptedFields, title);

/** Clients send the ids of repositories as numbers or as texts (the public API's rule, for these secrets alone). */
const RepositoryId = Type.Union([
  Type.Integer({ minimum: 1, maximum: maxId }),
  Type.String({ pattern: '^[1-9][0-9]*$', maxLength: 15 }),
]);

export const OrganizationDependencyBotSecretValue = Type.Object(
  { ...organizationSecretFields, selected_repository_ids: Type.Optional(Type.Array(RepositoryId, { maxItems: 1_000 })) },
  title,
);
