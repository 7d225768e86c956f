import { getOrThrow } from '#lib/collections.ts';

const readable = ['read'] as const;
const writable = ['write'] as const;
const readOrWrite = ['read', 'write'] as const;
const upToAdmin = ['read', 'write', 'admin'] as const;

/**
 * Every fine-grained permission with its levels, lowest first, grouped by what it applies to: a repository, an organization or a
 * user's account. Names and levels come from document 3, or from the public API if document 3 has none. Tokens, apps, endpoint
 * declarations and the documentation use only these.
 */
export const catalogue = {
  repository: {
    actions: readOrWrite,
    actions_variables: readOrWrite,
    administration: readOrWrite,
    artifact_metadata: readOrWrite,
    attestations: readOrWrite,
    checks: readOrWrite,
    code_quality: readOrWrite,
    codespaces: readOrWrite,
    contents: readOrWrite,
    dependency_bot_secrets: readOrWrite,
    deployments: readOrWrite,
    discussions: readOrWrite,
    environments: readOrWrite,
    issues: readOrWrite,
    merge_queues: readOrWrite,
    metadata: readOrWrite,
    packages: readOrWrite,
    pages: readOrWrite,
    pull_requests: readOrWrite,
    repository_advisories: readOrWrite,
    repository_custom_properties: readOrWrite,
    repository_projects: upToAdmin,
    repository_webhooks: readOrWrite,
    secret_scanning_alerts: readOrWrite,
    secrets: readOrWrite,
    security_events: readOrWrite,
    single_file: readOrWrite,
    statuses: readOrWrite,
    vulnerability_alerts: readOrWrite,
    workflows: writable,
  },
  organization: {
    custom_properties_for_organizations: readOrWrite,
    issue_fields: readOrWrite,
    members: readOrWrite,
    organization_actions_variables: readOrWrite,
    organization_administration: readOrWrite,
    organization_announcement_banners: readOrWrite,
    organization_assistant_agent_settings: readOrWrite,
    organization_assistant_business: readOrWrite,
    organization_custom_org_roles: readOrWrite,
    organization_custom_properties: upToAdmin,
    organization_custom_roles: readOrWrite,
    organization_dependency_bot_secrets: readOrWrite,
    organization_events: readable,
    organization_hosted_runner_custom_images: readOrWrite,
    organization_packages: readOrWrite,
    organization_personal_access_token_requests: readOrWrite,
    organization_personal_access_tokens: readOrWrite,
    organization_plan: readable,
    organization_private_registries: readOrWrite,
    organization_projects: upToAdmin,
    organization_secrets: readOrWrite,
    organization_self_hosted_runners: readOrWrite,
    organization_user_blocking: readOrWrite,
    organization_webhooks: readOrWrite,
  },
  account: {
    email_addresses: readOrWrite,
    followers: readOrWrite,
    git_signing_ssh_public_keys: readOrWrite,
    git_ssh_keys: readOrWrite,
    gpg_keys: readOrWrite,
    interaction_limits: readOrWrite,
    profile: writable,
    starring: readOrWrite,
  },
} as const satisfies Record<string, Record<string, readonly Level[]>>;

type Catalogue = typeof catalogue;

/** Whether a permission applies to a repository, an organization or an account. */
export type PermissionScope = keyof Catalogue;
export type RepositoryPermission = keyof Catalogue['repository'];
export type OrganizationPermission = keyof Catalogue['organization'];
export type PermissionName = { [Scope in PermissionScope]: keyof Catalogue[Scope] }[PermissionScope];

/** The levels of all permissions, lowest first. Each level includes the levels before it. */
export const levels = ['read', 'write', 'admin'] as const;
export type Level = (typeof levels)[number];

type PermissionsOf<Names> = {
  [Name in keyof Names & string]: `${Name}:${Extract<Names[Name], readonly string[]>[number]}`;
}[keyof Names & string];

/** One needed permission, for example `organization_webhooks:read`. */
export type Permission = { [Scope in PermissionScope]: PermissionsOf<Catalogue[Scope]> }[PermissionScope];

/** The permissions of a fine-grained token or an installation. */
export type PermissionSet = { [Name in PermissionName]?: Level };

type Entry = { readonly scope: PermissionScope; readonly levels: readonly Level[] };

const entries = new Map<string, Entry>(
  Object.entries(catalogue).flatMap(([scope, names]) =>
    Object.entries(names).map(([name, levels]) => [name, { scope: scope as PermissionScope, levels }] as const),
  ),
);

/** All names, with repository permissions first. */
export const permissionNames = [...entries.keys()] as readonly PermissionName[];

export const isPermissionName = (name: string): name is PermissionName => entries.has(name);

/** Whether a permission applies to a repository, an organization or an account. */
export const permissionScope = (name: PermissionName): PermissionScope => getOrThrow(entries, name).scope;

/** The levels that a permission has, lowest first. */
export const levelsOf = (name: PermissionName): readonly Level[] => getOrThrow(entries, name).levels;

/** Splits `organization_webhooks:read` into its name and level. */
export function parsePermission(permission: Permission): { name: PermissionName; level: Level } {
  const [name, level] = permission.split(':') as [PermissionName, Level];
  return { name, level };
}

const includes = (held: Level, wanted: Level): boolean => levels.indexOf(held) >= levels.indexOf(wanted);

/** Whether a set includes a permission. Every repository permission includes reading metadata. */
export function holds(set: PermissionSet, permission: Permission): boolean {
  const { name, level } = parsePermission(permission);
  if (name === 'metadata' && level === 'read') return true;
  const held = set[name];
  return held !== undefined && includes(held, level);
}

/** The levels that include a permission, for SQL. */
export function levelsHolding(permission: Permission): readonly Level[] {
  const { level } = parsePermission(permission);
  return levels.filter((held) => includes(held, level));
}

const entriesOf = (set: PermissionSet) => Object.entries(set) as [PermissionName, Level][];

/** What `wanted` has beyond `held`: new permissions (`added`) and higher levels (`upgraded`). */
export function beyond(wanted: PermissionSet, held: PermissionSet): { added: PermissionSet; upgraded: PermissionSet } {
  const [added, upgraded]: [PermissionSet, PermissionSet] = [{}, {}];
  for (const [name, level] of entriesOf(wanted)) {
    const before = held[name];
    if (before === undefined) added[name] = level;
    else if (!includes(before, level)) upgraded[name] = level;
  }
  return { added, upgraded };
}

/** Whether a set includes all permissions of another set. */
export function includesAll(held: PermissionSet, wanted: PermissionSet): boolean {
  const { added, upgraded } = beyond(wanted, held);
  return Object.keys(added).length + Object.keys(upgraded).length === 0;
}

/** The permissions that both sets hold, at the lower of the two levels. */
export function intersect(a: PermissionSet, b: PermissionSet): PermissionSet {
  const both: PermissionSet = {};
  for (const [name, level] of entriesOf(a)) {
    const other = b[name];
    if (other) both[name] = includes(other, level) ? level : other;
  }
  return both;
}
