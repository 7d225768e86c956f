import { type Static, type TSchema, Type } from 'typebox';
import { enveloped } from '#endpoint/paging.ts';
import { each, Nullable, OneOf, Patch, Timestamp, withDefault } from '#lib/shape.ts';
import { encryptedFields } from '#resources/actions/encryption-keys/index.ts';
import { SelectedIds } from '#resources/repositories/repository-selections/index.ts';
import { authTypes, defaultAuthType, fieldsOf, forbiddenFields, identityFields, registryTypes } from './auth-types.ts';

export const registryVisibilities = ['all', 'private', 'selected'] as const;
export type RegistryVisibility = (typeof registryVisibilities)[number];

const text = Type.String({ minLength: 1, maxLength: 1024 });
const identity = each(identityFields, Type.Optional(text));

/** A registry in replies. Replies never include the secret. */
export const PrivateRegistry = Type.Object({
  name: Type.String(),
  registry_type: OneOf(registryTypes),
  auth_type: OneOf(authTypes),
  url: Type.String(),
  username: Nullable(Type.String()),
  replaces_base: Type.Boolean(),
  visibility: OneOf(registryVisibilities),
  selected_repository_ids: Type.Array(Type.Integer()),
  ...each(identityFields, Type.Optional(Type.String())),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type PrivateRegistry = Static<typeof PrivateRegistry>;

/** Whether workflows may use the registries of an organization: an addition to the public API. */
export const PrivateRegistryWorkflowAccess = Type.Object({ enabled: Type.Boolean() });

export const PrivateRegistryList = enveloped('configurations', PrivateRegistry);

const fields = Type.Object({
  registry_type: OneOf(registryTypes),
  url: Type.String({ format: 'uri', maxLength: 1024 }),
  username: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
  replaces_base: Type.Optional(Type.Boolean()),
  encrypted_value: Type.Optional(encryptedFields.encrypted_value),
  key_id: Type.Optional(encryptedFields.key_id),
  visibility: OneOf(registryVisibilities),
  selected_repository_ids: Type.Optional(SelectedIds),
  auth_type: Type.Optional(withDefault(OneOf(authTypes), defaultAuthType)),
  ...identity,
});

/** One alternative for each way of signing in, so that a refusal names the field that is missing or not allowed. */
const alternatives: TSchema[] = authTypes.map((type) => ({
  type: 'object',
  properties: {
    auth_type: { const: type },
    ...Object.fromEntries(forbiddenFields(type).map((field) => [field, { not: {} }])),
  },
  required: [...(type === defaultAuthType ? [] : ['auth_type']), ...fieldsOf[type].required],
}));

export const NewPrivateRegistry = Type.Object(fields.properties, { title: 'PrivateRegistry', oneOf: alternatives });
export type NewPrivateRegistry = Static<typeof NewPrivateRegistry>;

export const PrivateRegistryChange = Patch(fields, { title: 'PrivateRegistry' });
export type PrivateRegistryChange = Static<typeof PrivateRegistryChange>;
