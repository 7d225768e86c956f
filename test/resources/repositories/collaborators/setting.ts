import type { Account, RepositoryRow } from '#access/viewer.ts';
import { createTeam, setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import { fresh, type World } from '#test/support/world.ts';

export type Setting = {
  owner: Account;
  /** A member who conceals it; the base permission is read. */
  member: Account;
  /** A member of the team below one that has the role maintain. */
  byTeam: Account;
  /** Nobody's member, with the direct role triage. */
  outside: Account;
  stranger: Account;
  org: Account;
  repo: RepositoryRow & { owner: Account };
  path: string;
};

/** A repository of an organization, with somebody for each source of a role. */
export async function setting(w: World, visibility: RepositoryRow['visibility'] = 'private'): Promise<Setting> {
  const owner = await w.user(fresh('owner'));
  const member = await w.user(fresh('member'));
  const byTeam = await w.user(fresh('by-team'));
  const outside = await w.user(fresh('outside'));
  const stranger = await w.user(fresh('stranger'));
  const org = await w.org(owner);
  await w.member(org, member);
  await w.member(org, byTeam);
  const repo = await w.repo(org, { visibility, by: owner });
  await w.collaborator(repo, outside, 'triage');
  const actor = { by: owner.id, now: w.clock.now };
  await w.change(async (scope) => {
    const top = await createTeam(scope, { ...actor, org, wanted: { name: fresh('top'), privacy: 'closed' } });
    const below = await createTeam(scope, { ...actor, org, wanted: { name: fresh('below'), parent: top.id } });
    await setTeamMember(scope, { ...actor, team: below, user: byTeam, role: 'member' });
    await setTeamRole(scope, { ...actor, team: top, repository: repo, role: 'maintain' });
  });
  return { owner, member, byTeam, outside, stranger, org, repo, path: `/repos/${org.login}/${repo.name}` };
}

/** The same for a person's own repository, with one collaborator. */
export async function personal(w: World) {
  const owner = await w.user(fresh('owner'));
  const helper = await w.user(fresh('helper'));
  const stranger = await w.user(fresh('stranger'));
  const repo = await w.repo(owner, { visibility: 'private' });
  await w.collaborator(repo, helper, 'write');
  return { owner, helper, stranger, repo, path: `/repos/${owner.login}/${repo.name}` };
}

/** Logins with the roles that a list shows for them. */
export const rolesOf = (reply: { body: { login: string; role_name: string }[] }): Record<string, string> =>
  Object.fromEntries(reply.body.map((row) => [row.login, row.role_name]));
