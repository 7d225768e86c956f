/**
 * Logins that no account may have: the first segments of the server's own paths, and those that clients of the public API expect
 * to be paths of the web. A test compares them with the routes.
 */
const ofPaths = [
  ...['api', 'docs', 'login', 'logout', 'avatars', 'images', 'healthz', 'readyz', 'metrics', 'settings', 'sessions', 'admin'],
  ...['raw', 'apps', 'organizations', 'twirp', 'orgs', 'users', 'user', 'repos', 'enterprises', 'search', 'new', 'notifications'],
];

/** The first words of pages, of those that come, and of what people take for a page of the server. */
const ofPages = [
  ...['setup', 'issues', 'pulls', 'explain', 'advisories', 'shortcuts', 'stars', 'topics', 'explore', 'repositories', 'account'],
  ...['dashboard', 'about', 'help', 'security', 'contact', 'robots', 'favicon', 'assets', 'static', 'live', 'graphql'],
  ...['deployments', 'runners', 'milestones', 'labels', 'join', 'signup', 'password'],
];

/** The first words of the API's addresses, which clients may try at the root of the server. */
const ofEndpoints = [
  ...['teams', 'licenses', 'gitignore', 'app', 'app-manifests', 'installation', 'applications', 'archives', 'markdown', 'meta'],
  ...['migration-archives', 'versions', 'emojis', 'workflow-logs', 'workflow-log-archives', 'feeds', 'gists', 'events', 'zen'],
];

/** Owners of repositories that workflows use as actions. A local account with this name would replace the origin's actions. */
const ofActions = ['actions'];

const reserved: ReadonlySet<string> = new Set([...ofPaths, ...ofPages, ...ofEndpoints, ...ofActions]);

export const isReservedLogin = (login: string): boolean => reserved.has(login.toLowerCase());

/** Whether operators may create an organization with this name, to serve a copy of these actions. */
export const isActionsOwner = (login: string): boolean => ofActions.includes(login.toLowerCase());

export const reservedLogins: readonly string[] = [...reserved];
