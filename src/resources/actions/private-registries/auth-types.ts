// The fields of each way of signing in to a registry (document 2). Schemas and rules follow this table.

export const registryTypes = [
  'maven_repository',
  'nuget_feed',
  'goproxy_server',
  'npm_registry',
  'rubygems_server',
  'cargo_registry',
  'composer_repository',
  'docker_registry',
  'git_source',
  'helm_registry',
  'hex_organization',
  'hex_repository',
  'pub_repository',
  'python_index',
  'terraform_registry',
] as const;
export type RegistryType = (typeof registryTypes)[number];

export const authTypes = [
  'token',
  'username_password',
  'oidc_cloud_a',
  'oidc_cloud_b',
  'oidc_registry_a',
  'oidc_registry_b',
  'oidc_cloud_c',
] as const;
export type AuthType = (typeof authTypes)[number];
/** Jobs sign in by their identity, and no secret is stored. */
export type OidcType = Extract<AuthType, `oidc_${string}`>;

export const defaultAuthType = 'token' satisfies AuthType;

/** The fields with which a registry recognizes a caller without a secret (OIDC). */
export const identityFields = [
  'tenant_id',
  'client_id',
  'aws_region',
  'account_id',
  'role_name',
  'domain',
  'domain_owner',
  'registry_a_oidc_provider_name',
  'audience',
  'identity_mapping_name',
  'namespace',
  'service_slug',
  'api_host',
  'workload_identity_provider',
  'service_account',
] as const;
export type IdentityField = (typeof identityFields)[number];

const secretFields = ['encrypted_value', 'key_id'] as const;
type SecretField = (typeof secretFields)[number];

/** Every field that depends on the way of signing in. */
const dependentFields = [...secretFields, ...identityFields] as const;
type DependentField = (typeof dependentFields)[number];

type Fields = { readonly required: readonly (DependentField | 'username')[]; readonly optional: readonly IdentityField[] };

const secret: readonly SecretField[] = secretFields;

export const fieldsOf: Readonly<Record<AuthType, Fields>> = {
  token: { required: secret, optional: [] },
  username_password: { required: ['username', ...secret], optional: [] },
  oidc_cloud_a: { required: ['tenant_id', 'client_id'], optional: [] },
  oidc_cloud_b: { required: ['aws_region', 'account_id', 'role_name'], optional: ['domain', 'domain_owner', 'audience'] },
  oidc_registry_a: { required: ['registry_a_oidc_provider_name'], optional: ['audience', 'identity_mapping_name'] },
  oidc_registry_b: { required: ['namespace', 'service_slug'], optional: ['api_host', 'audience'] },
  oidc_cloud_c: { required: ['workload_identity_provider'], optional: ['service_account', 'audience'] },
};

/** The fields that don't belong to a way of signing in. */
export function forbiddenFields(type: AuthType): DependentField[] {
  const known: readonly string[] = [...fieldsOf[type].required, ...fieldsOf[type].optional];
  return dependentFields.filter((field) => !known.includes(field));
}

export const needsSecret = (type: AuthType): boolean => fieldsOf[type].required.some((field) => field === 'encrypted_value');

/** The registry types for which cloud B needs a domain. Its container registries have none (document 2). */
const domainBased: readonly RegistryType[] = [
  'cargo_registry',
  'maven_repository',
  'npm_registry',
  'nuget_feed',
  'python_index',
  'rubygems_server',
];

export const domainFields = (auth: AuthType, registry: RegistryType): IdentityField[] =>
  auth === 'oidc_cloud_b' && domainBased.includes(registry) ? ['domain', 'domain_owner'] : [];
