// The configurations of package managers of programming languages.
import { trimEndOf } from '#lib/trim.ts';
import type { OidcType } from '../auth-types.ts';
import type { Credential } from '../usable.ts';
import {
  baseOf,
  baseRegistry,
  basic,
  type Configure,
  file,
  hostOf,
  idOf,
  isPassword,
  quoted,
  urlWithSecret,
  userOf,
} from './parts.ts';

export const npm: Configure = (credentials, write) =>
  file(
    'npmrc',
    credentials.flatMap((credential) => {
      const at = `${baseOf(credential).replace(/^https?:/, '')}/`;
      return [
        isPassword(credential) ? `${at}:_auth=${write(basic(credential, ''))}` : `${at}:_authToken=${write(credential.secret)}`,
        ...(credential.replaces_base ? [`registry=${baseOf(credential)}/`] : []),
      ];
    }),
    { variable: 'NPM_CONFIG_USERCONFIG' },
  );

export const pip: Configure = (credentials, write) => {
  const base = baseRegistry(credentials);
  const others = credentials.filter((one) => one !== base);
  // The user that indexes expect with a token.
  const url = (credential: Credential): string => urlWithSecret(credential, write, '__token__');
  return file(
    'pip.conf',
    [
      '[global]',
      ...(base ? [`index-url = ${url(base)}`] : []),
      ...(others.length > 0 ? ['extra-index-url =', ...others.map((one) => `    ${url(one)}`)] : []),
    ],
    { variable: 'PIP_CONFIG_FILE' },
  );
};

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const maven: Configure = (credentials, write) => {
  const server = (one: Credential): string =>
    `<server><id>${idOf(one)}</id><username>${xml(userOf(one, 'token'))}</username>` +
    `<password>${write(xml(one.secret))}</password></server>`;
  const source = (one: Credential): string => `<id>${idOf(one)}</id><url>${xml(baseOf(one))}</url>`;
  const base = baseRegistry(credentials);
  return file(
    'maven-settings.xml',
    [
      '<settings>',
      `<servers>${credentials.map(server).join('')}</servers>`,
      `<mirrors>${base ? `<mirror>${source(base)}<mirrorOf>central</mirrorOf></mirror>` : ''}</mirrors>`,
      '<profiles><profile><id>private-registries</id><repositories>',
      ...credentials.map((one) => `<repository>${source(one)}<snapshots><enabled>true</enabled></snapshots></repository>`),
      '</repositories></profile></profiles>',
      '<activeProfiles><activeProfile>private-registries</activeProfile></activeProfiles>',
      '</settings>',
    ],
    { variable: 'MAVEN_ARGS', prefix: '--settings ' },
  );
};

/** Cargo sends its token as it is, so some registries need the scheme before it. */
const schemes: { readonly [Type in OidcType]?: string } = {
  oidc_cloud_a: 'Bearer ',
  oidc_cloud_c: 'Bearer ',
  oidc_registry_a: 'Bearer ',
  oidc_registry_b: 'Bearer ',
};
const schemeOf = ({ auth_type }: Credential): string => schemes[auth_type as OidcType] ?? '';

export const cargo: Configure = (credentials, write) => {
  const base = baseRegistry(credentials);
  const index = ({ url }: Credential): string => (url.startsWith('sparse+') ? url : `sparse+${trimEndOf(url, '/')}/`);
  const token = (one: Credential): string => (isPassword(one) ? `Basic ${basic(one, '')}` : `${schemeOf(one)}${one.secret}`);
  return file(
    '.cargo/config.toml',
    [
      '[registry]',
      'global-credential-providers = ["cargo:token"]',
      ...credentials.flatMap((one) => [
        `[registries.${idOf(one)}]`,
        `index = ${quoted(index(one))}`,
        `token = "${write(quoted(token(one)).slice(1, -1))}"`,
      ]),
      ...(base ? ['[source.crates-io]', `replace-with = ${quoted(idOf(base))}`] : []),
    ],
    'beside',
  );
};

export const nuget: Configure = (credentials, write) => {
  const clear = baseRegistry(credentials) ? '<clear/>' : '';
  const add = (key: string, value: string): string => `<add key="${key}" value="${value}"/>`;
  const sources = credentials.map((one) => add(idOf(one), xml(one.url))).join('');
  const secrets = credentials.map(
    (one) =>
      `<${idOf(one)}>${add('Username', xml(userOf(one, 'token')))}` +
      `${add('ClearTextPassword', write(xml(one.secret)))}</${idOf(one)}>`,
  );
  return file(
    'nuget.config',
    [
      '<configuration>',
      `<packageSources>${clear}${sources}</packageSources>`,
      `<packageSourceCredentials>${secrets.join('')}</packageSourceCredentials>`,
      '</configuration>',
    ],
    'beside',
  );
};

export const go: Configure = (credentials, write) => {
  const proxies = [...credentials.map(baseOf), ...(baseRegistry(credentials) ? [] : ['https://proxy.golang.org', 'direct'])];
  return {
    // Go reads a proxy's user and password from here. It compares the machine with the host and the port.
    ...file(
      'netrc',
      credentials.map((one) => `machine ${hostOf(one)} login ${userOf(one, 'token')} password ${write(one.secret)}`),
      { variable: 'NETRC' },
    ),
    variables: { GOPROXY: proxies.join(',') },
  };
};

export const bundler: Configure = (credentials, write) => {
  const base = baseRegistry(credentials);
  /** Bundler's own way of writing an address or a host in the name of a setting. */
  const setting = (name: string): string => `BUNDLE_${name.replaceAll('-', '___').replaceAll('.', '__').toUpperCase()}`;
  const line = (name: string, one: Credential): string =>
    `${setting(name)}: ${quoted(`${encodeURIComponent(userOf(one, 'token'))}:`).slice(0, -1)}` +
    `${write(encodeURIComponent(one.secret))}"`;
  const byHost = new Map(credentials.toReversed().map((one) => [new URL(one.url).hostname, one]));
  return file(
    'bundle-config',
    [
      '---',
      // Bundler looks for the whole address first, and then for the host without its port.
      ...credentials.map((one) => line(`${baseOf(one)}/`, one)),
      ...[...byHost].map(([host, one]) => line(host, one)),
      ...(base ? [`BUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: ${quoted(baseOf(base))}`] : []),
    ],
    { variable: 'BUNDLE_USER_CONFIG' },
  );
};

export const composer: Configure = (credentials, write) => {
  // Composer knows one user and password for each host. The first registry of a host has it.
  const byHost = new Map(credentials.toReversed().map((one) => [hostOf(one), one]));
  const auths = [...byHost].map(
    ([host, one]) =>
      `${quoted(host)}:{"username":${quoted(userOf(one, 'token'))},"password":"${write(quoted(one.secret).slice(1, -1))}"}`,
  );
  const repositories = {
    ...Object.fromEntries(credentials.map((one) => [idOf(one), { type: 'composer', url: baseOf(one) }])),
    ...(baseRegistry(credentials) ? { 'packagist.org': false } : {}),
  };
  const folder = { folderIn: 'COMPOSER_HOME' };
  return {
    files: [
      ...file('composer/auth.json', [`{"http-basic":{${auths.join(',')}}}`], folder).files,
      ...file('composer/config.json', [JSON.stringify({ repositories })], folder).files,
    ],
    variables: {},
  };
};
