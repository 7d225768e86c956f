// The addresses at which identity tokens are exchanged.
import { expect, test } from 'vitest';
import { type AddressName, addressOf } from '#resources/actions/private-registries/exchange/addresses.ts';
import { registryB } from '#resources/actions/private-registries/exchange/registry-b.ts';

test.each<[AddressName, string, string]>([
  ['cloud_a', '', 'https://login.microsoftonline.com'],
  ['cloud_b_roles', 'eu-central-1', 'https://sts.eu-central-1.amazonaws.com'],
  ['cloud_b_packages', 'eu-central-1', 'https://codeartifact.eu-central-1.amazonaws.com'],
  ['cloud_b_containers', 'us-gov-west-1', 'https://api.ecr.us-gov-west-1.amazonaws.com'],
  ['cloud_b_containers', 'cn-north-1', 'https://api.ecr.cn-north-1.amazonaws.com.cn'],
  ['cloud_c_tokens', '', 'https://sts.googleapis.com'],
  ['cloud_c_accounts', '', 'https://iamcredentials.googleapis.com'],
  ['registry_b', '', 'https://api.cloudsmith.io'],
])('the public address of %s in %s', (name, region, address) => {
  expect(addressOf({}, name, region)).toBe(address);
});

test('a setting replaces an address, with its region', () => {
  const overrides = { cloud_b_roles: 'https://sts.{region}.internal.example/' };
  expect(addressOf(overrides, 'cloud_b_roles', 'eu-west-1')).toBe('https://sts.eu-west-1.internal.example');
  expect(addressOf(overrides, 'cloud_a')).toBe('https://login.microsoftonline.com');
});

test("a registry's own API host is asked by HTTPS", async () => {
  const asked: string[] = [];
  const registry = {
    name: 'NPM_REGISTRY_SECRET',
    registry_type: 'npm_registry',
    auth_type: 'oidc_registry_b',
    url: 'https://npm.example',
    username: null,
    replaces_base: false,
    identity: { namespace: 'acme', service_slug: 'ci', api_host: 'api.example:8443' },
    secret: undefined,
  } as const;
  const send = async ({ url }: { readonly url: string }) => {
    asked.push(url);
    return '{"token":"x"}';
  };
  const rest = { identityToken: 'i', session: 's', addressOf: () => '', now: new Date(0) };
  expect(await registryB.exchange({ registry, send, ...rest })).toEqual({ username: 'ci', secret: 'x' });
  expect(asked).toEqual(['https://api.example:8443/openid/acme/']);
});
