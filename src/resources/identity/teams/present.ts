import { permissionsOf, type Role, wordOfRole } from '#access/roles.ts';
import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { presentFullOrganizations } from '#resources/identity/organizations/index.ts';
import type { Team, TeamFull, TeamMembership, TeamSimple } from './schemas.ts';
import { loadTeamCounts, loadTeams, type TeamMembership as MembershipRow, type TeamRow } from './store.ts';

function presentOne(links: Links, team: TeamRow, org: Pick<Account, 'login'>, role: Role): TeamSimple {
  const url = path(`${links.api}/teams`, team.id);
  return {
    id: team.id,
    node_id: nodeId('Team', team.id),
    url,
    html_url: path(links.html, 'orgs', org.login, 'teams', team.slug),
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    name: team.name,
    slug: team.slug,
    description: team.description,
    permission: wordOfRole(role),
    privacy: team.privacy,
    notification_setting: team.notification_setting,
    type: 'organization',
    organization_id: team.organization_id,
  };
}

const loadParents = (db: Db, rows: readonly TeamRow[]) => loadTeams(db, gather(rows, 'parent_id'));

type Parents = Awaited<ReturnType<typeof loadParents>>;

const presentParent = (links: Links, team: TeamRow, parents: Parents, org: Pick<Account, 'login'>): TeamSimple | null => {
  const parent = getOptional(parents, team.parent_id);
  return parent ? presentOne(links, parent, org, parent.repository_role) : null;
};

/** Presents a page of teams. For a list about one repository, `roleOf` returns each team's role in it. */
export async function presentTeams(
  { db, links }: Scope,
  rows: readonly TeamRow[],
  roleOf?: (id: Id<'teams'>) => Role | undefined,
): Promise<Team[]> {
  const organizations = loadAccounts(db, gather(rows, 'organization_id'));
  const [orgs, parents] = await Promise.all([organizations, loadParents(db, rows)]);
  return rows.map((row) => {
    const org = getOrThrow(orgs, row.organization_id);
    const role = roleOf?.(row.id);
    return {
      ...presentOne(links, row, org, role ?? row.repository_role),
      parent: presentParent(links, row, parents, org),
      ...(role === undefined ? {} : { permissions: permissionsOf(role) }),
    };
  });
}

/** Presents a page of complete teams, each with its organization. */
export async function presentFullTeams(scope: Scope, rows: readonly TeamRow[]): Promise<TeamFull[]> {
  const { db, links } = scope;
  const [orgs, parents, counts] = await Promise.all([
    presentFullOrganizations(scope, gather(rows, 'organization_id')),
    loadParents(db, rows),
    loadTeamCounts(db, gather(rows, 'id')),
  ]);
  return rows.map((row) => {
    const organization = getOrThrow(orgs, row.organization_id);
    const { members, repositories } = getOrThrow(counts, row.id);
    return {
      ...presentOne(links, row, organization, row.repository_role),
      parent: presentParent(links, row, parents, organization),
      members_count: members,
      repos_count: repositories,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      organization,
    };
  });
}

export const presentFullTeam = async (scope: Scope, row: TeamRow): Promise<TeamFull> =>
  firstOrNotFound(await presentFullTeams(scope, [row]));

export const presentTeamMembership = (
  links: Links,
  team: Pick<TeamRow, 'id'>,
  user: Pick<Account, 'login'>,
  { role, state }: MembershipRow,
): TeamMembership => ({ url: path(`${links.api}/teams`, team.id, 'memberships', user.login), role, state });
