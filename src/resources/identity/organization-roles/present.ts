import type { Account } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { keyed } from '#lib/collections.ts';
import { timestamp } from '#lib/time.ts';
import { presentUser } from '#resources/identity/accounts/index.ts';
import { loadTeams, presentTeams } from '#resources/identity/teams/index.ts';
import type { OrganizationRole, TeamRoleAssignment, UserRoleAssignment } from './schemas.ts';
import type { HolderRow, RoleRow, TeamHolderRow } from './store.ts';

/** A role, with its organization unless it is predefined. */
export const presentRole = (links: Links, org: Account, row: RoleRow): OrganizationRole => ({
  id: row.id,
  name: row.name,
  description: row.description,
  base_role: row.base_role,
  source: row.organization_id === null ? 'Predefined' : 'Organization',
  permissions: row.permissions,
  organization: row.organization_id === null ? null : presentUser(links, org),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

const assignmentOf = (direct: boolean, inherited: boolean) => (direct ? (inherited ? 'mixed' : 'direct') : 'indirect');

/** Presents a page of users with a role, each with the teams that give it to them. */
export async function presentUserAssignments(scope: Scope, rows: readonly HolderRow[]): Promise<UserRoleAssignment[]> {
  const { db, links } = scope;
  const teams = await loadTeams(
    db,
    rows.flatMap((row) => row.teams),
  );
  const presented = keyed(await presentTeams(scope, [...teams.values()]), ({ id }) => id);
  return rows.map(({ direct, teams: inheritedFrom, ...account }) => ({
    ...presentUser(links, account),
    assignment: assignmentOf(direct, inheritedFrom.length > 0),
    inherited_from: inheritedFrom.flatMap((id) => {
      const { parent: _, ...team } = presented.get(id) ?? {};
      return 'slug' in team ? [team] : [];
    }),
  }));
}

/** Presents a page of teams with a role. */
export async function presentTeamAssignments(scope: Scope, rows: readonly TeamHolderRow[]): Promise<TeamRoleAssignment[]> {
  const presented = await presentTeams(scope, rows);
  return presented.map((team, i) => ({
    ...team,
    assignment: assignmentOf(rows[i]?.direct ?? false, rows[i]?.inherited ?? false),
  }));
}
