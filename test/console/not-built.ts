/**
 * Addresses that replies and pages hold, but that lead nowhere yet. Each is the pattern of a path. The list can only shrink: a
 * test fails once an entry isn't needed.
 */
export const notBuilt: readonly string[] = [
  // code
  '/{owner}/{repo}.git',
  '/{owner}/{repo}/blob/{path*}',
  '/{owner}/{repo}/commit/{sha}',
  '/{owner}/{repo}/compare/{basehead*}',
  '/{owner}/{repo}/pull/{number}.diff',
  '/{owner}/{repo}/pull/{number}.patch',
  '/{owner}/{repo}/raw/{path*}',
  '/{owner}/{repo}/rules/{id}',
  '/{owner}/{repo}/runs/{id}',
  '/{owner}/{repo}/tree/{path*}',
  // collaboration
  '/{owner}/{repo}/issues',
  '/{owner}/{repo}/milestone/{number}',
  '/{owner}/{repo}/pull/{number}',
  '/{owner}/{repo}/pulls',
  // actions
  '/{owner}/{repo}/actions',
  '/{owner}/{repo}/actions/runs/{id}',
  '/{owner}/{repo}/actions/runs/{id}/job/{id}',
  '/{owner}/{repo}/deployments/activity_log',
  '/{owner}/{repo}/workflows/{name}/badge.svg',
  // identity
  '/{account}',
  '/{owner}/{repo}/settings',
  '/organizations/{org}/settings/rules/{id}',
  '/organizations/{org}/settings/security_products/configurations/edit/{id}',
  '/organizations/{org}/settings/security_products/configurations/view',
  '/orgs/{org}/spaces/{number}',
  '/orgs/{org}/teams/{slug}',
  // platform
  '/apps/{slug}',
  '/settings/connections/applications',
  '/settings/installations/{id}',
  '/settings/sessions',
  // releases, security, insights
  '/advisories/{id}',
  '/{owner}/{repo}/dependency-graph/sbom/{sha}',
  '/{owner}/{repo}/graphs/contributors',
  '/{owner}/{repo}/releases',
  '/{owner}/{repo}/releases/download/{path*}',
  '/{owner}/{repo}/releases/tag/{tag*}',
  '/{owner}/{repo}/security',
  '/{owner}/{repo}/security/advisories/{id}',
  '/{owner}/{repo}/security/code-scanning/{number}',
  '/{owner}/{repo}/security/dependency-alerts/{number}',
  '/{owner}/{repo}/security/secret-scanning/{number}',
];

/** Pages of whose HTML something is wrong. This list shrinks in the same way. */
export const notWellFormed: readonly string[] = [
  '/login',
  '/organizations/{org}/settings/installations/{id}',
  '/settings/installations/{id}',
];
