/**
 * Programs that sign in by OAuth with a built-in client id, regardless of the server. The ids and the secrets are published in
 * their sources. The secrets prove nothing, since these are public clients (RFC 6749, 2.1).
 */
export const knownClients = {
  gh: {
    id: '178c6fc778ccc68e1d6a',
    name: 'GitHub CLI',
    url: 'https://cli.github.com',
    // It listens on a port of its choice. The second callback is for servers other than the public one.
    callbacks: ['http://127.0.0.1/callback', 'http://localhost/'],
  },
  git_credential_manager: {
    id: '0120e057bd645470c1ed',
    name: 'Git Credential Manager',
    url: 'https://gh.io/gcm',
    callbacks: ['http://localhost/', 'http://127.0.0.1/'],
  },
  // It uses the device flow with servers other than the public one.
  vscode: { id: '01ab8ac9400c4e429b23', name: 'Visual Studio Code', url: 'https://code.visualstudio.com', callbacks: [] },
} as const satisfies Record<string, { id: string; name: string; url: string; callbacks: readonly string[] }>;

export type KnownClient = keyof typeof knownClients;

export const knownClientNames = Object.keys(knownClients) as KnownClient[];

/** The program with this client id. */
export const knownClientOf = (id: string): KnownClient | undefined =>
  knownClientNames.find((name) => knownClients[name].id === id);
