import { type Static, Type } from 'typebox';
import { each, Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { OrganizationSimple } from '#resources/identity/accounts/index.ts';

/** Settings that an organization owner may read and change with the API. */
export const settingFlags = [
  'members_can_create_repositories',
  'members_can_create_public_repositories',
  'members_can_create_private_repositories',
  'members_can_create_internal_repositories',
  'members_can_create_pages',
  'members_can_create_public_pages',
  'members_can_create_private_pages',
  'members_can_fork_private_repositories',
  'members_can_delete_repositories',
  'members_can_change_repo_visibility',
  'members_can_invite_outside_collaborators',
  'members_can_delete_issues',
  'members_can_create_teams',
  'members_can_view_dependency_insights',
  'display_commenter_full_name_setting_enabled',
  'readers_can_create_discussions',
  'web_commit_signoff_required',
  'deploy_keys_enabled_for_repositories',
  'advanced_security_enabled_for_new_repositories',
  'dependency_bot_alerts_enabled_for_new_repositories',
  'dependency_bot_security_updates_enabled_for_new_repositories',
  'dependency_graph_enabled_for_new_repositories',
  'secret_scanning_enabled_for_new_repositories',
  'secret_scanning_push_protection_enabled_for_new_repositories',
  'secret_scanning_push_protection_custom_link_enabled',
] as const;

const defaultPermissions = ['none', 'read', 'write', 'admin'] as const;

export const OrganizationFull = Type.Object({
  ...OrganizationSimple.properties,
  name: Type.Optional(Type.String()),
  company: Type.Optional(Type.String()),
  blog: Type.Optional(Type.String()),
  location: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  twitter_username: Type.Optional(Nullable(Type.String())),
  is_verified: Type.Boolean(),
  has_organization_projects: Type.Boolean(),
  has_repository_projects: Type.Boolean(),
  ...each(['public_repos', 'public_gists', 'followers', 'following'], Type.Integer()),
  html_url: Type.String(),
  type: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: Nullable(Timestamp),
  ...each(
    ['total_private_repos', 'owned_private_repos', 'private_gists', 'disk_usage', 'collaborators'],
    Type.Optional(Type.Integer()),
  ),
  billing_email: Type.Optional(Nullable(Type.String())),
  default_repository_permission: Type.Optional(OneOf(defaultPermissions)),
  two_factor_requirement_enabled: Type.Optional(Type.Boolean()),
  members_allowed_repository_creation_type: Type.Optional(OneOf(['all', 'private', 'none'])),
  ...each(settingFlags, Type.Optional(Type.Boolean())),
  secret_scanning_push_protection_custom_link: Type.Optional(Nullable(Type.String())),
});
export type OrganizationFull = Static<typeof OrganizationFull>;

export const OrganizationChange = Type.Object(
  {
    ...each(['name', 'company', 'blog', 'location', 'twitter_username'], Type.Optional(Type.String({ maxLength: 255 }))),
    description: Type.Optional(Type.String({ maxLength: 1024 })),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 255 })),
    billing_email: Type.Optional(Type.String({ format: 'email', maxLength: 255 })),
    has_organization_projects: Type.Optional(Type.Boolean()),
    has_repository_projects: Type.Optional(Type.Boolean()),
    default_repository_permission: Type.Optional(OneOf(defaultPermissions)),
    members_allowed_repository_creation_type: Type.Optional(OneOf(['all', 'private', 'none'])),
    ...each(settingFlags, Type.Optional(Type.Boolean())),
    secret_scanning_push_protection_custom_link: Type.Optional(Type.String({ maxLength: 2048 })),
  },
  { title: 'Organization' },
);
export type OrganizationChange = Static<typeof OrganizationChange>;
