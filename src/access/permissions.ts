/**
 * The names of fine-grained permissions, by what they apply to: a repository, an organization or a user's account. They are
 * document 3's; where it has none, the public API's.
 */
export const permissions = {
  repository: [
    'actions',
    'actions_variables',
    'administration',
    'artifact_metadata',
    'attestations',
    'checks',
    'code_quality',
    'codespaces',
    'contents',
    'dependency_bot_secrets',
    'deployments',
    'discussions',
    'environments',
    'issues',
    'merge_queues',
    'metadata',
    'packages',
    'pages',
    'pull_requests',
    'repository_custom_properties',
    'repository_webhooks',
    'repository_projects',
    'secret_scanning_alerts',
    'secrets',
    'security_events',
    'single_file',
    'statuses',
    'vulnerability_alerts',
    'workflows',
  ],
  organization: [
    'members',
    'issue_fields',
    'organization_actions_variables',
    'organization_administration',
    'organization_assistant_business',
    'organization_custom_roles',
    'organization_custom_org_roles',
    'organization_custom_properties',
    'organization_announcement_banners',
    'organization_events',
    'organization_hosted_runner_custom_images',
    'organization_packages',
    'organization_personal_access_tokens',
    'organization_personal_access_token_requests',
    'organization_plan',
    'organization_private_registries',
    'organization_projects',
    'organization_secrets',
    'organization_self_hosted_runners',
    'organization_user_blocking',
    'organization_webhooks',
  ],
  account: [
    'email_addresses',
    'followers',
    'git_signing_ssh_public_keys',
    'git_ssh_keys',
    'gpg_keys',
    'interaction_limits',
    'profile',
    'starring',
  ],
} as const;

export type RepositoryPermission = (typeof permissions.repository)[number];
export type OrganizationPermission = (typeof permissions.organization)[number];
export type AccountPermission = (typeof permissions.account)[number];
export type PermissionName = RepositoryPermission | OrganizationPermission | AccountPermission;

export const levels = ['read', 'write', 'admin'] as const;
export type Level = (typeof levels)[number];

/**
 * One needed permission, for example `organization_webhooks:read`. Only to define custom properties of repositories, the level `admin` is
 * needed (the public API's rule).
 */
export type Permission = `${PermissionName}:${'read' | 'write'}` | 'organization_custom_properties:admin';

/** The permissions of a fine-grained token or an installation. */
export type PermissionSet = { [Name in PermissionName]?: Level };

export type PermissionScope = keyof typeof permissions;

const scopesByName = new Map<string, PermissionScope>(
  Object.entries(permissions).flatMap(([scope, names]) => names.map((name) => [name, scope as PermissionScope] as const)),
);

export const isPermissionName = (name: string): name is PermissionName => scopesByName.has(name);

/** Whether a permission applies to a repository, an organization or an account. */
export const permissionScope = (name: PermissionName): PermissionScope => scopesByName.get(name) ?? 'repository';

/** Splits `organization_webhooks:read` into its name and level. */
export function parsePermission(permission: Permission): { name: PermissionName; level: Level } {
  const [name, level] = permission.split(':') as [PermissionName, Level];
  return { name, level };
}

/** Whether a set holds a permission. Reading metadata comes with every permission of a repository. */
export function holds(set: PermissionSet, permission: Permission): boolean {
  const { name, level } = parsePermission(permission);
  if (name === 'metadata' && level === 'read') return true;
  const held = set[name];
  return held !== undefined && levels.indexOf(held) >= levels.indexOf(level);
}

/** The permissions that both sets hold, at the lower of the two levels. */
export function intersect(a: PermissionSet, b: PermissionSet): PermissionSet {
  const both: PermissionSet = {};
  for (const [name, level] of Object.entries(a) as [PermissionName, Level][]) {
    const other = b[name];
    if (other) both[name] = levels.indexOf(level) <= levels.indexOf(other) ? level : other;
  }
  return both;
}
