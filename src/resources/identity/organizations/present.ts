import type { Account } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { presentOrganization } from '#resources/identity/accounts/index.ts';
import { type OrganizationFull, settingFlags } from './schemas.ts';
import { getSettings, loadOrganizations, type OrganizationRow, type Settings } from './store.ts';

type Counts = { public_repos: number; private_repos: number; disk_kb: number; collaborators: number };

/** The whole organization. As in the public API, only owners see `settings`. */
export function presentFullOrganization(
  links: Links,
  org: OrganizationRow,
  counts: Counts,
  options: { settings: boolean },
): OrganizationFull {
  return {
    ...presentOrganization(links, org, org.settings.description),
    ...optionalText(org),
    twitter_username: org.twitter_username,
    is_verified: false,
    has_organization_projects: org.settings.has_organization_projects,
    has_repository_projects: org.settings.has_repository_projects,
    public_repos: counts.public_repos,
    public_gists: 0,
    followers: 0,
    following: 0,
    html_url: path(links.html, org.login),
    type: 'Organization',
    created_at: timestamp(org.created_at),
    updated_at: timestamp(org.updated_at),
    archived_at: null,
    ...(options.settings ? presentSettings(org.settings, counts) : {}),
  };
}

/** Organizations by their ids, for a whole page, without fields for owners only. */
export async function presentFullOrganizations(
  { db, links }: Scope,
  ids: Iterable<Id<'accounts'>>,
): Promise<Map<number, OrganizationFull>> {
  const rows = await loadOrganizations(db, unique(ids));
  const presented = rows.map(({ counts, ...org }) =>
    presentFullOrganization(links, org, { ...counts, disk_kb: 0, collaborators: 0 }, { settings: false }),
  );
  return keyed(presented, (org) => org.id);
}

/** Profile fields. In the public API they aren't nullable, so empty ones are omitted. */
function optionalText({ name, company, blog, location, email }: Account): Partial<OrganizationFull> {
  return Object.fromEntries(
    Object.entries({ name, company, blog, location, email }).filter(([, value]) => value !== null && value !== ''),
  );
}

function presentSettings(settings: Settings, counts: Counts): Partial<OrganizationFull> {
  const flags = Object.fromEntries(settingFlags.map((flag) => [flag, settings[flag]]));
  const { members_can_create_repositories: canCreate, members_can_create_public_repositories: canCreatePublic } = settings;
  return {
    ...flags,
    total_private_repos: counts.private_repos,
    owned_private_repos: counts.private_repos,
    private_gists: 0,
    disk_usage: counts.disk_kb,
    collaborators: counts.collaborators,
    billing_email: settings.billing_email,
    default_repository_permission: settings.default_repository_permission,
    two_factor_requirement_enabled: false,
    secret_scanning_push_protection_custom_link: settings.secret_scanning_push_protection_custom_link,
    members_allowed_repository_creation_type: canCreate ? (canCreatePublic ? 'all' : 'private') : 'none',
  };
}

/** An organization in webhook payloads. */
export const presentOrganizationOf = async ({ db, links }: Scope, account: Account) =>
  presentOrganization(links, account, (await getSettings(db, account.id)).description);
