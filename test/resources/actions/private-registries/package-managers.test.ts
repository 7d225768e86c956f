// The configuration of package managers, for each type of registry.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuthType, RegistryType } from '#resources/actions/private-registries/auth-types.ts';
import { type Credential, configurationFor } from '#resources/actions/private-registries/index.ts';
import { checkRegistry, type StoredRegistry } from '#resources/actions/private-registries/usable.ts';

const credential = (registry_type: RegistryType, more: Partial<Credential> = {}): Credential => ({
  name: `${registry_type.toUpperCase()}_SECRET`,
  registry_type,
  auth_type: 'token',
  url: 'https://packages.example.com:8443/repo/',
  username: null,
  replaces_base: false,
  identity: {},
  secret: 'm00n/light',
  ...more,
});
const withPassword = { auth_type: 'username_password', username: 'ada@acme' } as const;

/** The text of the files with the secrets in their places. */
const filesFor = (credentials: readonly Credential[]) =>
  configurationFor(credentials, (secret) => `<<${secret}>>`).files.map(({ name, text }) => [name, text]);

const basic = (text: string) => Buffer.from(text).toString('base64');

test.each<[RegistryType, Partial<Credential>, string, string[]]>([
  ['npm_registry', {}, 'npmrc', ['//packages.example.com:8443/repo/:_authToken=<<m00n/light>>\n']],
  ['npm_registry', withPassword, 'npmrc', [`:_auth=<<${basic('ada@acme:m00n/light')}>>\n`]],
  ['npm_registry', { replaces_base: true }, 'npmrc', ['registry=https://packages.example.com:8443/repo/\n']],
  [
    'python_index',
    {},
    'pip.conf',
    ['extra-index-url =\n    https://__token__:<<m00n%2Flight>>@packages.example.com:8443/repo/\n'],
  ],
  ['python_index', { ...withPassword, replaces_base: true }, 'pip.conf', ['index-url = https://ada%40acme:<<m00n%2Flight>>@']],
  ['maven_repository', withPassword, 'maven-settings.xml', ['<username>ada@acme</username><password><<m00n/light>></password>']],
  [
    'maven_repository',
    { replaces_base: true },
    'maven-settings.xml',
    ['<mirrorOf>central</mirrorOf>', '<username>token</username>'],
  ],
  [
    'cargo_registry',
    { replaces_base: true },
    '.cargo/config.toml',
    [
      '[registries.cargo-registry-secret]\nindex = "sparse+https://packages.example.com:8443/repo/"\ntoken = "<<m00n/light>>"\n',
      '[source.crates-io]\nreplace-with = "cargo-registry-secret"\n',
    ],
  ],
  ['nuget_feed', withPassword, 'nuget.config', ['<add key="ClearTextPassword" value="<<m00n/light>>"/></nuget-feed-secret>']],
  ['goproxy_server', withPassword, 'netrc', ['machine packages.example.com:8443 login ada@acme password <<m00n/light>>\n']],
  [
    'rubygems_server',
    {},
    'bundle-config',
    [
      'BUNDLE_HTTPS://PACKAGES__EXAMPLE__COM:8443/REPO/: "token:<<m00n%2Flight>>"\n',
      'BUNDLE_PACKAGES__EXAMPLE__COM: "token:<<m00n%2Flight>>"\n',
    ],
  ],
  [
    'docker_registry',
    {},
    'docker/config.json',
    [`{"auths":{"packages.example.com:8443":{"auth":"<<${basic('token:m00n/light')}>>"}}}`],
  ],
  [
    'composer_repository',
    {},
    'composer/auth.json, composer/config.json',
    [
      `{"http-basic":{"packages.example.com:8443":{"username":"token","password":"<<m00n/light>>"}}}`,
      `"composer-repository-secret":{"type":"composer","url":"https://packages.example.com:8443/repo"}}`,
    ],
  ],
  ['composer_repository', { replaces_base: true }, 'composer/auth.json, composer/config.json', ['"packagist.org":false']],
  [
    'helm_registry',
    withPassword,
    'helm/repositories.yaml, helm/registry.json',
    [
      '- name: "helm-registry-secret"\n  url: "https://packages.example.com:8443/repo"\n',
      '  username: "ada@acme"\n  password: "<<m00n/light>>"\n',
      `{"auths":{"packages.example.com:8443":{"auth":"<<${basic('ada@acme:m00n/light')}>>"}}}`,
    ],
  ],
  ['terraform_registry', {}, 'terraform.tfrc', ['{"credentials":{"packages.example.com:8443":{"token":"<<m00n/light>>"}}}']],
  ['git_source', {}, 'git-credentials-1', ['https://x-access-token:<<m00n%2Flight>>@packages.example.com:8443\n']],
])('%s %o is written to %s', (type, more, name, parts) => {
  const files = filesFor([credential(type, more)]);
  expect(files.map(([file]) => file).join(', ')).toBe(name);
  for (const part of parts) expect(files.map(([, text]) => text).join('')).toContain(part);
});

test.each<[AuthType, string]>([
  ['oidc_cloud_a', 'Bearer m00n/light'],
  ['oidc_cloud_b', 'm00n/light'],
  ['oidc_cloud_c', 'Bearer m00n/light'],
  ['oidc_registry_a', 'Bearer m00n/light'],
  ['oidc_registry_b', 'Bearer m00n/light'],
])('Cargo gets the token of %s as %s', (auth_type, token) => {
  const [[, text] = []] = filesFor([credential('cargo_registry', { auth_type })]);
  expect(text).toContain(`token = "<<${token}>>"`);
});

test('several registries of one type share a file, and Go gets their proxies in a variable', () => {
  const second = { name: 'GOPROXY_SERVER_SECRET_2', url: 'https://other.example', secret: 'second' };
  const { files, variables } = configurationFor(
    [credential('goproxy_server'), credential('goproxy_server', second), credential('docker_registry')],
    (secret) => secret,
  );
  expect(files.map(({ name }) => name).sort()).toEqual(['docker/config.json', 'netrc']);
  expect(variables).toEqual({
    GOPROXY: 'https://packages.example.com:8443/repo,https://other.example,https://proxy.golang.org,direct',
  });
});

test('Git gets one file for each address, which its variables name', () => {
  const second = { name: 'GIT_SOURCE_SECRET_2', url: 'https://packages.example.com:8443/other', secret: 'second' };
  const { files, variables } = configurationFor([credential('git_source'), credential('git_source', second)], (text) => text);
  expect(files.map(({ text }) => text)).toEqual([
    'https://x-access-token:m00n%2Flight@packages.example.com:8443\n',
    'https://x-access-token:second@packages.example.com:8443\n',
  ]);
  expect(variables).toEqual({
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'credential.https://packages.example.com:8443/repo.helper',
    GIT_CONFIG_VALUE_0: 'store --file="$RUNNER_TEMP/private-registries/git-credentials-1"',
    GIT_CONFIG_KEY_1: 'credential.https://packages.example.com:8443/other.helper',
    GIT_CONFIG_VALUE_1: 'store --file="$RUNNER_TEMP/private-registries/git-credentials-2"',
  });
});

/** Why a job can't use a registry; undefined if it can. */
function reasonOf(registry: StoredRegistry): string | undefined {
  const checked = checkRegistry(registry);
  return 'reason' in checked ? checked.reason : undefined;
}

test.each<[RegistryType, AuthType, Partial<StoredRegistry>, RegExp]>([
  ['hex_organization', 'token', {}, /the type hex_organization are stored, and no job can use them/],
  ['hex_repository', 'oidc_cloud_a', { secret: undefined }, /the type hex_repository are stored/],
  ['pub_repository', 'token', {}, /the type pub_repository are stored/],
  ['terraform_registry', 'username_password', { username: 'ada' }, /knows no users/],
  ['terraform_registry', 'token', { url: 'http://modules.example.com' }, /HTTPS/],
  ['terraform_registry', 'token', { secret: `\${path.cwd}` }, /variable/],
  ['npm_registry', 'oidc_cloud_b', { secret: undefined, identity: { account_id: 'x' } }, /account_id/],
  ['npm_registry', 'token', { secret: undefined }, /no secret/],
  ['npm_registry', 'token', { secret: 'two\nlines' }, /line break/],
  ['npm_registry', 'token', { url: `https://a.example/?q=\${{ secrets.KEY }}` }, /expression/],
  ['npm_registry', 'token', { secret: `\${AWS_SECRET_ACCESS_KEY}` }, /variable/],
  ['goproxy_server', 'token', { secret: 'two words' }, /space/],
  ['goproxy_server', 'token', { url: 'http://go.example.com' }, /HTTPS/],
  ['goproxy_server', 'oidc_registry_a', { url: 'http://go.example.com', secret: undefined }, /HTTPS/],
])('a %s that signs in by %s with %o is refused', (type, auth_type, more, reason) => {
  expect(reasonOf({ ...credential(type), auth_type, ...more })).toMatch(reason);
});

test('no configuration contains a secret itself, and each is one that its format can hold', () => {
  const usable: RegistryType[] = [
    'npm_registry',
    'python_index',
    'maven_repository',
    'cargo_registry',
    'nuget_feed',
    'docker_registry',
    'composer_repository',
    'helm_registry',
    'terraform_registry',
    'git_source',
  ];
  const text = fc.stringMatching(/^[!-~]{8,40}$/);
  fc.assert(
    fc.property(fc.constantFrom(...usable), text, text, fc.boolean(), (type, secret, username, isPassword) => {
      const one = credential(type, { secret, ...(isPassword ? { ...withPassword, username } : {}) });
      if (reasonOf(one) !== undefined) return;
      const written: string[] = [];
      const { files } = configurationFor([one], (value) => {
        written.push(value);
        return '@';
      });
      const whole = files.map((file) => file.text).join('');
      if (!username.includes(secret)) expect(whole).not.toContain(secret);
      // Helm has a second file, for charts in container registries.
      expect(written).toHaveLength(type === 'helm_registry' ? 2 : 1);
      expect(written[0]).not.toMatch(/[\r\n]/);
      const inJson = files.filter(({ name }) => /\.(?:json|tfrc)$/.test(name));
      for (const file of inJson) expect(() => JSON.parse(file.text)).not.toThrow();
    }),
  );
});
