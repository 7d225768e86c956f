/**
 * Addresses that replies and pages hold, but that lead nowhere yet. Each is the pattern of a path. The list can only shrink: a
 * test fails once an entry isn't needed.
 */
export const notBuilt: readonly string[] = [
  // code
  '/{owner}/{repo}.git',
  '/{owner}/{repo}/runs/{id}',
  // collaboration
  // actions
  '/{owner}/{repo}/workflows/{name}/badge.svg',
  // identity
  // platform
  '/apps/{slug}',
  '/settings/connections/applications',
  '/settings/installations/{id}',
  // releases, security, insights
  '/{owner}/{repo}/dependency-graph/sbom/{sha}',
  '/{owner}/{repo}/releases/download/{path*}',
];

/** Pages of whose HTML something is wrong. This list shrinks in the same way. */
export const notWellFormed: readonly string[] = ['/settings/installations/{id}'];
