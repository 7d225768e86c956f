import { type Selectable, sql } from 'kysely';
import { securityManager } from '#access/roles.ts';
import type { Account } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { TeamRow } from '#resources/identity/teams/index.ts';

export type RoleRow = Selectable<DB['organization_roles']>;
type Organization = Id<'accounts'>;

/** The holder of a role: a member or a team. */
export type Holder = { user: Id<'accounts'> } | { team: Id<'teams'> };

/** The roles that an organization can assign: predefined ones and its own. */
export const listRoles = (db: Db, organization: Organization): Promise<RoleRow[]> =>
  db
    .selectFrom('organization_roles')
    .selectAll()
    .where((eb) => eb.or([eb('organization_id', 'is', null), eb('organization_id', '=', organization)]))
    .orderBy('id')
    .execute();

export const selectRole = (db: Db, organization: OrSql<Organization>, id: Id<'organization_roles'>) =>
  db
    .selectFrom('organization_roles')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('organization_id', 'is', null), eb('organization_id', '=', organization)]));

/** Whether a role is the predefined one for security managers. An organization's own role may have the same name. */
export const isSecurityManager = ({ name, organization_id }: RoleRow): boolean =>
  organization_id === null && name === securityManager;

/** The predefined role of security managers. */
export const getSecurityManagerRole = (db: Db): Promise<RoleRow> =>
  db
    .selectFrom('organization_roles')
    .selectAll()
    .where('organization_id', 'is', null)
    .where('name', '=', securityManager)
    .executeTakeFirstOrThrow();

/** The teams that a role is assigned to, without their child teams. */
export const listTeamsGiven = (db: Db, organization: Organization, role: Id<'organization_roles'>): Promise<TeamRow[]> =>
  db
    .selectFrom('organization_role_assignments as a')
    .innerJoin('teams', 'teams.id', 'a.team_id')
    .selectAll('teams')
    .where('a.organization_id', '=', organization)
    .where('a.role_id', '=', role)
    .orderBy('teams.id')
    .execute();

const isHolder = (holder: Holder) =>
  'user' in holder ? sql<boolean>`user_id = ${holder.user}` : sql<boolean>`team_id = ${holder.team}`;

/** Inserts the assignment of a role; false if the holder already has it. */
export async function insertAssignment(
  tx: Tx,
  { organization, role, holder, now }: { organization: Organization; role: Id<'organization_roles'>; holder: Holder; now: Date },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('organization_role_assignments')
    .values({
      organization_id: organization,
      role_id: role,
      user_id: 'user' in holder ? holder.user : null,
      team_id: 'team' in holder ? holder.team : null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Removes one role or all. Returns the removed ones. */
export async function removeAssignments(
  tx: Tx,
  organization: Organization,
  holder: Holder,
  role?: Id<'organization_roles'>,
): Promise<Id<'organization_roles'>[]> {
  let query = tx.deleteFrom('organization_role_assignments').where('organization_id', '=', organization).where(isHolder(holder));
  if (role !== undefined) query = query.where('role_id', '=', role);
  const rows = await query.returning('role_id').execute();
  return rows.map((row) => row.role_id);
}

type HolderSources = { user_id: Id<'accounts'>; direct: boolean; teams: Id<'teams'>[] };
export type HolderRow = Account & Pick<HolderSources, 'direct' | 'teams'>;

/** The users with a role, each with the teams that give it to them. */
export const listUsersWith = (
  db: Db,
  organization: Organization,
  role: Id<'organization_roles'>,
  page: Page,
): Promise<Listed<HolderRow>> =>
  list(
    db,
    db
      .selectFrom(
        sql<HolderSources>`(
          select user_id, bool_or(team_id is null) as direct,
            coalesce(array_agg(distinct team_id) filter (where team_id is not null), '{}') as teams
          from organization_role_holders where organization_id = ${organization} and role_id = ${role} group by user_id)`.as(
          'held',
        ),
      )
      .innerJoin('accounts', 'accounts.id', 'held.user_id')
      .selectAll('accounts')
      .select(['held.direct', 'held.teams'])
      .orderBy('accounts.id'),
    page,
  );

export type TeamHolderRow = TeamRow & { direct: boolean; inherited: boolean };

/** The teams with a role, assigned to them or to a parent team. */
export const listTeamsWith = (
  db: Db,
  organization: Organization,
  role: Id<'organization_roles'>,
  page: Page,
): Promise<Listed<TeamHolderRow>> =>
  list(
    db,
    db
      .selectFrom('teams')
      .innerJoin(
        sql<{ team_id: Id<'teams'>; direct: boolean; inherited: boolean }>`(
          select t.id as team_id, bool_or(a.team_id = t.id) as direct, bool_or(a.team_id <> t.id) as inherited
          from organization_role_assignments a join teams t on t.ancestors @> array[a.team_id]
          where a.organization_id = ${organization} and a.role_id = ${role} group by t.id)`.as('held'),
        'held.team_id',
        'teams.id',
      )
      .selectAll('teams')
      .select(['held.direct', 'held.inherited'])
      .orderBy('teams.id'),
    page,
  );
