import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

const restOf = async (user: Account) =>
  new Octokit({
    auth: await w.token(user, ['repo', 'admin:org']),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  }).rest;

test('an unmodified Octokit invites people, chooses security managers, and deletes the organization', async () => {
  const [ada, bob] = [await w.user('ada'), await w.user('bob', { email: 'bob@example.com' })];
  const { login: org } = await w.org(ada, 'acme');
  const [asAda, asBob] = [await restOf(ada), await restOf(bob)];
  const { data: team } = await asAda.teams.create({ org, name: 'Guards', privacy: 'closed' });

  const wanted = { org, email: 'bob@example.com', team_ids: [team.id] };
  const { data: invitation } = await asAda.orgs.createInvitation(wanted);
  expect(invitation).toMatchObject({ login: null, email: 'bob@example.com', team_count: 1 });
  expect((await asAda.orgs.listPendingInvitations({ org })).data).toEqual([invitation]);
  const { data: teams } = await asAda.orgs.listInvitationTeams({ org, invitation_id: invitation.id });
  expect(teams).toMatchObject([{ slug: 'guards' }]);
  const { data: other } = await asAda.orgs.createInvitation({ org, email: 'eve@example.com' });
  expect((await asAda.orgs.cancelInvitation({ org, invitation_id: other.id })).status).toBe(204);
  expect((await asAda.orgs.listFailedInvitations({ org })).data).toEqual([]);
  const { data: accepted } = await asBob.orgs.updateMembershipForAuthenticatedUser({ org, state: 'active' });
  expect(accepted).toMatchObject({ state: 'active', role: 'member' });

  await asAda.orgs.update({ org, default_repository_permission: 'none' } as never);
  await asAda.repos.createInOrg({ org, name: 'secret', private: true });
  const read = () => asBob.repos.get({ owner: org, repo: 'secret' });
  await expect(read()).rejects.toMatchObject({ status: 404 });
  expect((await asAda.orgs.addSecurityManagerTeam({ org, team_slug: 'guards' })).status).toBe(204);
  expect((await asAda.orgs.listSecurityManagerTeams({ org })).data).toMatchObject([{ slug: 'guards' }]);
  expect((await read()).data.name).toBe('secret');
  expect((await asAda.orgs.removeSecurityManagerTeam({ org, team_slug: 'guards' })).status).toBe(204);
  await expect(read()).rejects.toMatchObject({ status: 404 });

  expect((await asAda.orgs.delete({ org })).status).toBe(202);
  await expect(asAda.orgs.get({ org })).rejects.toMatchObject({ status: 404 });
});
