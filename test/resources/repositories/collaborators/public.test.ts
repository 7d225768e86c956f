import { expect, test } from 'vitest';
import type { Answer } from '#test/support/client.ts';
import { checkAgainstPublicSchema } from '#test/support/public-schema.ts';
import { world } from '#test/support/world.ts';
import { setting } from './setting.ts';

/** What differs from the public description; errors have the field `status` beside it (document 1). */
const differences = (id: string, reply: Answer): string[] => {
  const { problems, unknown } = checkAgainstPublicSchema(id, reply.status, reply.body, 'service');
  return [...problems, ...unknown.filter((place) => reply.status < 400 || place !== '/status')];
};

test('members, teams and collaborators answer as the public description says', async () => {
  const w = await world();
  const { owner, member, byTeam, stranger, org, path } = await setting(w);
  const client = await w.as(owner);
  const orgPath = `/orgs/${org.login}`;
  const team = await w.as(byTeam);
  const guest = await w.as(stranger);
  const invited = await client.put(`${path}/collaborators/${stranger.login}`);
  const invitation = `${path}/invitations/${invited.body.id}`;

  const replies: [string, Answer][] = [
    ['repos/add-collaborator', invited],
    ['orgs/list-members', await client.get(`${orgPath}/members`)],
    ['orgs/check-membership-for-user', await guest.get(`${orgPath}/members/${owner.login}`)],
    ['orgs/set-membership-for-user', await client.put(`${orgPath}/memberships/${stranger.login}`)],
    ['orgs/get-membership-for-user', await client.get(`${orgPath}/memberships/${member.login}`)],
    ['orgs/list-memberships-for-authenticated-user', await client.get('/user/memberships/orgs')],
    ['orgs/get-membership-for-authenticated-user', await client.get(`/user/memberships${orgPath}`)],
    ['orgs/update-membership-for-authenticated-user', await client.patch(`/user/memberships${orgPath}`, { state: 'active' })],
    ['orgs/update-membership-for-authenticated-user', await client.patch(`/user/memberships${orgPath}`, { state: 'no' })],
    ['teams/list-for-authenticated-user', await team.get('/user/teams')],
    ['repos/list-teams', await client.get(`${path}/teams`)],
    ['repos/list-collaborators', await client.get(`${path}/collaborators`)],
    ['repos/get-collaborator-permission-level', await client.get(`${path}/collaborators/${member.login}/permission`)],
    ['repos/list-invitations', await client.get(`${path}/invitations`)],
    ['repos/update-invitation', await client.patch(invitation, { permissions: 'admin' })],
    ['repos/list-invitations-for-authenticated-user', await guest.get('/user/repository_invitations')],
    ['orgs/list-outside-collaborators', await client.get(`${orgPath}/outside_collaborators`)],
    ['orgs/remove-outside-collaborator', await client.delete(`${orgPath}/outside_collaborators/${member.login}`)],
    ['orgs/remove-member', await client.delete(`${orgPath}/members/${owner.login}`)],
  ];

  expect(replies.filter(([, reply]) => Array.isArray(reply.body) && reply.body.length === 0)).toEqual([]);
  for (const [id, reply] of replies) expect([id, differences(id, reply)]).toEqual([id, []]);
});
