import { roleOfWord } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { getOrThrow } from '#lib/collections.ts';
import { findMembershipForUpdate } from '#resources/identity/members/index.ts';
import { createTeam, findTeam, setTeamMember, setTeamRole, slugOf, type TeamRow } from '#resources/identity/teams/index.ts';
import type { Address, TeamRecord } from '../archive/format.ts';
import { type Accounts, ownerOf } from './accounts.ts';
import type { Contents } from './check.ts';
import type { Imported } from './repositories.ts';

type ImportedOwners = { accounts: Accounts; repositories: ReadonlyMap<Address, Imported> };

/**
 * Gives teams their roles in the imported repositories. Teams are found by their names in their organization. Missing teams are
 * created with the people who are members of the organization; the members of existing teams don't change. A team that is created
 * below an existing one gets no members, since they would have its roles. Returns all teams by their addresses.
 */
export async function importTeams(
  scope: WriteScope,
  { teams }: Contents,
  { accounts, repositories }: ImportedOwners,
): Promise<ReadonlyMap<Address, TeamRow>> {
  const made = new Map<Address, TeamRow>();
  /** The teams that give the roles of one that was here already. */
  const established = new Set<TeamRow['id']>();
  // Each comes after the team above it: `checkContents` has refused circles.
  const importTeam = async (record: TeamRecord): Promise<TeamRow> => {
    const done = made.get(record.url);
    if (done) return done;
    const parent = record.parent_team === null ? null : await importTeam(getOrThrow(teams, record.parent_team));
    const org = ownerOf(accounts, record.organization);
    const known = await findTeam(scope.tx, org.id, slugOf(record.name));
    const isEstablished = known !== undefined || (parent !== null && established.has(parent.id));
    const wanted = isEstablished ? { ...record, members: [] } : record;
    const team = known ?? (await makeTeam(scope, wanted, { parent, accounts }));
    if (isEstablished) established.add(team.id);
    for (const { repository, access } of record.permissions) {
      const { row } = getOrThrow(repositories, repository);
      await setTeamRole(scope, { team, repository: row, role: roleOfWord(access), by: undefined, now: scope.now });
    }
    made.set(record.url, team);
    return team;
  };
  for (const record of teams.values()) await importTeam(record);
  return made;
}

async function makeTeam(
  scope: WriteScope,
  { organization, name, description, privacy, members, created_at }: TeamRecord,
  { parent, accounts }: { parent: TeamRow | null; accounts: Accounts },
): Promise<TeamRow> {
  const org = ownerOf(accounts, organization);
  const actor = { by: undefined, now: new Date(created_at) };
  const team = await createTeam(scope, { org, wanted: { name, description, privacy, parent: parent?.id }, ...actor });
  for (const { user: address, role } of members) {
    const user = accounts.byAddress.get(address);
    if (user?.kind !== 'user' || !(await findMembershipForUpdate(scope.tx, org.id, user.id))) continue;
    await setTeamMember(scope, { team, user, role, ...actor });
  }
  return team;
}
