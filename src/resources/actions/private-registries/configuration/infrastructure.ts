// The configurations of programs that fetch images, charts, modules and sources.
import { baseOf, basic, type Configure, file, hostOf, idOf, quoted, registryFolder, urlWithSecret, userOf } from './parts.ts';

export const docker: Configure = (credentials, write) =>
  file('docker/config.json', [authsOf(credentials, write)], { folderIn: 'DOCKER_CONFIG' });

/** The signing in of Docker's format, which other programs read, too. */
const authsOf: (...of: Parameters<Configure>) => string = (credentials, write) => {
  const auths = credentials.map((one) => `${JSON.stringify(hostOf(one))}:{"auth":"${write(basic(one, 'token'))}"}`);
  return `{"auths":{${auths.join(',')}}}`;
};

export const helm: Configure = (credentials, write) => {
  const repositories = file(
    'helm/repositories.yaml',
    [
      'apiVersion: ""',
      'generated: "0001-01-01T00:00:00Z"',
      'repositories:',
      ...credentials.flatMap((one) => [
        `- name: ${quoted(idOf(one))}`,
        `  url: ${quoted(baseOf(one))}`,
        `  username: ${quoted(userOf(one, 'token'))}`,
        `  password: "${write(quoted(one.secret).slice(1, -1))}"`,
      ]),
    ],
    { variable: 'HELM_REPOSITORY_CONFIG' },
  );
  // Charts in container registries (oci://) are signed in to by the host alone.
  const hosts = file('helm/registry.json', [authsOf(credentials, write)], { variable: 'HELM_REGISTRY_CONFIG' });
  return { files: [...repositories.files, ...hosts.files], variables: {} };
};

export const terraform: Configure = (credentials, write) => {
  const hosts = credentials.map((one) => `${quoted(hostOf(one))}:{"token":"${write(quoted(one.secret).slice(1, -1))}"}`);
  return file('terraform.tfrc', [`{"credentials":{${hosts.join(',')}}}`], { variable: 'TF_CLI_CONFIG_FILE' });
};

/**
 * Git gets a file of credentials for each address, by its variables: the user's own configuration stays in effect. The variables
 * hold no path, since the folder has another one in a container.
 */
export const git: Configure = (credentials, write) => ({
  files: credentials.map((one, at) => ({
    name: `git-credentials-${at + 1}`,
    text: `${hostOnly(urlWithSecret(one, write, 'x-access-token'))}\n`,
    found: 'named',
  })),
  variables: Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(credentials.length)],
    ...credentials.flatMap((one, at) => [
      [`GIT_CONFIG_KEY_${at}`, `credential.${baseOf(one)}.helper`],
      [`GIT_CONFIG_VALUE_${at}`, `store --file="${registryFolder}/git-credentials-${at + 1}"`],
    ]),
  ]),
});

/** Git asks its helpers by the host, and not by the path. */
const hostOnly = (url: string): string => url.replace(/^(https?:\/\/[^/]+)\/.*$/, '$1');
