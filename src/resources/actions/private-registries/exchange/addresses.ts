// The addresses at which clouds and registries exchange identity tokens, and settings that replace them.
import { trimEndOf } from '#lib/trim.ts';
import type { IdentityField } from '../auth-types.ts';

/** Addresses by what they are for. `{region}` is the registry's region, and `{suffix}` the domain of its services. */
const publicAddresses = {
  cloud_a: 'https://login.microsoftonline.com',
  cloud_b_roles: 'https://sts.{region}.{suffix}',
  cloud_b_packages: 'https://codeartifact.{region}.{suffix}',
  cloud_b_containers: 'https://api.ecr.{region}.{suffix}',
  cloud_c_tokens: 'https://sts.googleapis.com',
  cloud_c_accounts: 'https://iamcredentials.googleapis.com',
  registry_b: 'https://api.cloudsmith.io',
} as const;
export type AddressName = keyof typeof publicAddresses;

export const addressNames = Object.keys(publicAddresses) as AddressName[];

/** Addresses that replace public ones, for sovereign clouds and tests. They may contain `{region}` and `{suffix}`. */
export type AddressOverrides = { readonly [Name in AddressName]?: string };

/** The address of a service, without a slash at its end. */
export function addressOf(overrides: AddressOverrides, name: AddressName, region = ''): string {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const pattern = overrides[name] ?? publicAddresses[name];
  return trimEndOf(pattern.replaceAll('{region}', region).replaceAll('{suffix}', suffix), '/');
}

/**
 * The formats of fields that become a part of an address or a resource name. They keep a token from being sent elsewhere than the
 * field says.
 */
const formats: { readonly [Field in IdentityField]?: RegExp } = {
  tenant_id: /^[a-z\d][\w.-]*$/i,
  aws_region: /^[a-z\d]+(?:-[a-z\d]+)+$/,
  account_id: /^\d{12}$/,
  role_name: /^[\w+=,.@/-]+$/,
  namespace: /^[a-z\d][\w.-]*$/i,
  api_host: /^[a-z\d][a-z\d.-]*(?::\d{1,5})?$/i,
  service_account: /^[\w.-]+@[\w.-]+$/,
};

/** Why the identity of a registry can't be used; undefined if it can. */
export function identityProblem(identity: { readonly [Field in IdentityField]?: string }): string | undefined {
  const wrong = (Object.keys(formats) as IdentityField[]).find((field) => {
    const value = identity[field];
    return value !== undefined && !formats[field]?.test(value);
  });
  return wrong && `its ${wrong} has an unknown format`;
}
