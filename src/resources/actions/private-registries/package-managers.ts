// Configures package managers for private registries, with files and environment variables.
import { trimEndOf } from '#lib/trim.ts';
import type { OidcType } from './auth-types.ts';
import type { Credential, UsableType } from './usable.ts';

/** A file for a job. */
export type ConfigurationFile = {
  readonly name: string;
  readonly text: string;
  /**
   * The variable that gets the path of the file, or of its folder. `beside`: package managers find the file by its place, which
   * is the folder above the workspace.
   */
  readonly found: { readonly variable: string; readonly prefix?: string } | { readonly folderIn: string } | 'beside';
};

export type Configuration = {
  readonly files: readonly ConfigurationFile[];
  readonly variables: Readonly<Record<string, string>>;
};

/** Writes secrets as texts that stand for them, so that the configuration itself contains none. */
type WriteSecret = (secret: string) => string;

type Configure = (credentials: readonly Credential[], write: WriteSecret) => Configuration;

/** The registry's URL without a slash at its end. */
const baseOf = ({ url }: Credential): string => trimEndOf(url, '/');
const hostOf = ({ url }: Credential): string => new URL(url).host;
/** A name that package managers accept as an identifier. */
const idOf = ({ name }: Credential): string => name.toLowerCase().replaceAll('_', '-');

/** The first registry that replaces the package manager's own one. */
const baseRegistry = (credentials: readonly Credential[]) => credentials.find(({ replaces_base }) => replaces_base);

const userOf = ({ username }: Credential, fallback: string): string => username ?? fallback;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const basic = (credential: Credential, fallback: string): string =>
  base64(`${userOf(credential, fallback)}:${credential.secret}`);

const isPassword = ({ auth_type }: Credential): boolean => auth_type === 'username_password';

const file = (name: string, lines: readonly string[], found: ConfigurationFile['found']): Configuration => ({
  files: [{ name, text: `${lines.join('\n')}\n`, found }],
  variables: {},
});

const npm: Configure = (credentials, write) =>
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

/** The URL with user and password, for package managers that read them from there. */
function urlWithSecret(credential: Credential, write: WriteSecret, fallback: string): string {
  const { protocol, host, pathname } = new URL(credential.url);
  const user = encodeURIComponent(userOf(credential, fallback));
  const secret = write(encodeURIComponent(credential.secret));
  return `${protocol}//${user}:${secret}@${host}${pathname}`;
}

const pip: Configure = (credentials, write) => {
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

const maven: Configure = (credentials, write) => {
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

/** A string of TOML or YAML. */
const quoted = (text: string): string => JSON.stringify(text);

/** Cargo sends its token as it is, so some registries need the scheme before it. */
const schemes: { readonly [Type in OidcType]?: string } = {
  oidc_cloud_a: 'Bearer ',
  oidc_cloud_c: 'Bearer ',
  oidc_registry_a: 'Bearer ',
  oidc_registry_b: 'Bearer ',
};
const schemeOf = ({ auth_type }: Credential): string => schemes[auth_type as OidcType] ?? '';

const cargo: Configure = (credentials, write) => {
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

const nuget: Configure = (credentials, write) => {
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

const go: Configure = (credentials, write) => {
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

const bundler: Configure = (credentials, write) => {
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

const docker: Configure = (credentials, write) => {
  const auths = credentials.map((one) => `${JSON.stringify(hostOf(one))}:{"auth":"${write(basic(one, 'token'))}"}`);
  return file('docker/config.json', [`{"auths":{${auths.join(',')}}}`], { folderIn: 'DOCKER_CONFIG' });
};

const configureBy: Readonly<Record<UsableType, Configure>> = {
  npm_registry: npm,
  python_index: pip,
  maven_repository: maven,
  cargo_registry: cargo,
  nuget_feed: nuget,
  goproxy_server: go,
  rubygems_server: bundler,
  docker_registry: docker,
};

/** The configuration of all package managers that have one of the registries. */
export function configurationFor(credentials: readonly Credential[], write: WriteSecret): Configuration {
  const made = Object.entries(configureBy).flatMap(([type, configure]) => {
    const own = credentials.filter(({ registry_type }) => registry_type === type);
    return own.length > 0 ? [configure(own, write)] : [];
  });
  return {
    files: made.flatMap(({ files }) => files),
    variables: Object.assign({}, ...made.map(({ variables }) => variables)),
  };
}
