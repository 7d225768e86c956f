import { expect, test } from 'vitest';
import { createTeam, setTeamRole, unsetTeamRole } from '#resources/identity/teams/index.ts';
import { fresh } from '#test/support/world.ts';
import { heard, listening, parts } from './listening.ts';

test('repositories: created with a first commit, edited, renamed, archived, made private and public, deleted', async () => {
  const { here, owner, org, client, target } = await listening();
  const name = fresh('repo');
  await client.post(`/orgs/${org.login}/repos`, { name, description: 'one', auto_init: true });
  const created = await heard(here, target);
  expect(Object.keys(created).sort()).toEqual(['create', 'push', 'repository.created']);
  expect(created['repository.created']).toMatchObject({
    repository: { full_name: `${org.login}/${name}` },
    ...parts(org, owner),
  });
  expect(created.create).toMatchObject({ ref: 'main', ref_type: 'branch', master_branch: 'main', description: 'one' });
  expect(created.push).toMatchObject({
    ref: 'refs/heads/main',
    before: '0'.repeat(40),
    created: true,
    deleted: false,
    forced: false,
    commits: [{ message: 'Initial commit', added: ['README.md'], modified: [], removed: [] }],
    pusher: { name: owner.login },
  });
  expect(created.push.head_commit).toEqual(created.push.commits[0]);
  expect(created.push.after).toBe(created.push.commits[0].id);

  const path = `/repos/${org.login}/${name}`;
  await client.patch(path, { description: 'two', has_wiki: false });
  expect(await heard(here, target)).toMatchObject({ 'repository.edited': { changes: { description: { from: 'one' } } } });
  await client.patch(path, { has_issues: false });
  expect(await heard(here, target)).toEqual({});
  await client.put(`${path}/topics`, { names: ['a'] });
  expect(await heard(here, target)).toMatchObject({ 'repository.edited': { changes: { topics: { from: [] } } } });
  await client.patch(path, { private: true });
  expect(await heard(here, target)).toMatchObject({ 'repository.privatized': { repository: { private: true } } });
  await client.patch(path, { private: false });
  expect(Object.keys(await heard(here, target)).sort()).toEqual(['public', 'repository.publicized']);
  await client.patch(path, { archived: true });
  expect(Object.keys(await heard(here, target))).toEqual(['repository.archived']);
  await client.patch(path, { archived: false });
  expect(Object.keys(await heard(here, target))).toEqual(['repository.unarchived']);
  const other = fresh('renamed');
  await client.patch(path, { name: other });
  expect(await heard(here, target)).toMatchObject({
    'repository.renamed': { changes: { repository: { name: { from: name } } }, repository: { name: other } },
  });
  await client.delete(`/repos/${org.login}/${other}`);
  expect(await heard(here, target)).toMatchObject({
    'repository.deleted': { repository: { name: other }, ...parts(org, owner) },
  });
});

test('a fork is told to the parent, unless it is private and somebody else’s', async () => {
  const { here, org, client, owner, target } = await listening();
  const { name } = await here.repo(org, { by: owner });
  await heard(here, target);
  const forker = await here.as(await here.user());
  const reply = await forker.post(`/repos/${org.login}/${name}/forks`, {});
  expect(reply.status).toBe(202);
  expect(await heard(here, target)).toMatchObject({
    fork: { forkee: { full_name: reply.body.full_name }, repository: { name } },
  });

  const secret = await here.repo(org, { by: owner, visibility: 'private' });
  const reader = await here.user();
  await here.collaborator(secret, reader, 'read');
  await client.patch(`/orgs/${org.login}`, { members_can_fork_private_repositories: true });
  await heard(here, target);
  await (await here.as(reader)).post(`/repos/${org.login}/${secret.name}/forks`, {});
  expect(await heard(here, target)).toEqual({});
});

test('a transfer is told to the new owner, with who had it before', async () => {
  const { here, owner, org, client, target } = await listening();
  const { name } = await here.repo(owner);
  await client.post(`/repos/${owner.login}/${name}/transfer`, { new_owner: org.login });
  expect(await heard(here, target)).toMatchObject({
    'repository.transferred': { changes: { owner: { from: { user: { login: owner.login } } } }, repository: { name } },
  });
});

test('a transfer is told to the new owner and to the repository itself, and not to the old owner', async () => {
  const { here, owner, org, client, target } = await listening();
  const { name } = await here.repo(org, { by: owner });
  const next = await here.org(owner);
  const config = { url: `${target.url}/own`, content_type: 'json' };
  const { body: own } = await client.post(`/repos/${org.login}/${name}/hooks`, { config, events: ['repository'] });
  const { body: theirs } = await client.post(`/orgs/${next.login}/hooks`, { name: 'web', config, events: ['repository'] });
  await heard(here, target);
  await client.post(`/repos/${org.login}/${name}/transfer`, { new_owner: next.login });
  await here.settle();
  const hooks = target.requests.map(({ headers }) => Number(headers['x-github-hook-id']));
  expect(hooks.toSorted()).toEqual([own.id, theirs.id].toSorted());
  expect(await heard(here, target)).toMatchObject({ 'repository.transferred': { organization: { login: next.login } } });
});

test('the hook of a repository hears what is the repository’s, not what is its organization’s', async () => {
  const { here, owner, org, client, target } = await listening();
  const repository = await here.repo(org, { by: owner });
  const { name } = repository;
  const config = { url: `${target.url}/own`, content_type: 'json' };
  const { body: own } = await client.post(`/repos/${org.login}/${name}/hooks`, { config, events: ['*'] });
  const actor = { by: owner.id, now: here.clock.now };
  const team = await here.change((scope) => createTeam(scope, { org, wanted: { name: 'Crew', privacy: 'closed' }, ...actor }));
  await heard(here, target);
  await here.change((scope) => setTeamRole(scope, { team, repository, role: 'write', ...actor }));
  await here.settle();
  await here.change((scope) => unsetTeamRole(scope, { team, repository, ...actor }));
  await client.patch(`/repos/${org.login}/${name}`, { description: 'new' });
  await here.settle();
  const told = target.requests.map(({ headers, body }) => [
    Number(headers['x-github-hook-id']) === own.id ? 'repository' : 'organization',
    headers['x-github-event'],
    JSON.parse(body).action ?? null,
  ]);
  const shared = [
    ['team_add', null],
    ['repository', 'edited'],
  ];
  const ofOrganization = [
    ['team', 'added_to_repository'],
    ['team', 'removed_from_repository'],
  ];
  const expected = [
    ...shared.flatMap((event) => [
      ['repository', ...event],
      ['organization', ...event],
    ]),
    ...ofOrganization.map((event) => ['organization', ...event]),
  ];
  expect(told.map(String).toSorted()).toEqual(expected.map(String).toSorted());
});

test('members and collaborators come, change and go', async () => {
  const { here, owner, org, client, target } = await listening();
  const user = await here.user();
  await client.put(`/orgs/${org.login}/memberships/${user.login}`, { role: 'member' });
  await (await here.as(user)).patch(`/user/memberships/orgs/${org.login}`, { state: 'active' });
  expect(await heard(here, target)).toMatchObject({
    'organization.member_invited': {
      invitation: { login: user.login, email: null, role: 'direct_member', inviter: { login: owner.login } },
      user: { login: user.login },
      ...parts(org, owner),
    },
    'organization.member_added': {
      membership: { role: 'member', user: { login: user.login } },
      organization: { login: org.login },
    },
  });
  const { name } = await here.repo(org, { by: owner });
  await heard(here, target);
  const path = `/repos/${org.login}/${name}/collaborators/${user.login}`;
  await client.put(path, { permission: 'maintain' });
  expect(await heard(here, target)).toMatchObject({
    'member.added': { member: { login: user.login }, changes: { permission: { to: 'write' }, role_name: { to: 'maintain' } } },
  });
  await client.put(path, { permission: 'triage' });
  expect(await heard(here, target)).toMatchObject({
    'member.edited': { changes: { permission: { from: 'write', to: 'read' } } },
  });
  await client.delete(path);
  expect(await heard(here, target)).toMatchObject({ 'member.removed': { member: { login: user.login } } });
  await client.delete(`/orgs/${org.login}/memberships/${user.login}`);
  expect(await heard(here, target)).toMatchObject({
    'organization.member_removed': { membership: { user: { login: user.login } } },
  });
  await client.post(`/orgs/${org.login}/invitations`, { email: 'new@example.com', role: 'admin' });
  expect(await heard(here, target)).toMatchObject({
    'organization.member_invited': { invitation: { login: null, email: 'new@example.com', role: 'admin' } },
  });
});

test('teams: created, edited, given members and repositories, deleted', async () => {
  const { here, owner, org, client, target } = await listening();
  const user = await here.user();
  await here.member(org, user);
  const repository = await here.repo(org, { by: owner });
  await heard(here, target);

  const teams = `/orgs/${org.login}/teams`;
  await client.post(teams, { name: 'Crew', privacy: 'closed' });
  expect(await heard(here, target)).toMatchObject({
    'team.created': { team: { name: 'Crew', slug: 'crew' }, ...parts(org, owner) },
    'membership.added': { scope: 'team', member: { login: owner.login } },
  });
  await client.patch(`${teams}/crew`, { name: 'Hands', description: 'All', notification_setting: 'notifications_disabled' });
  expect(await heard(here, target)).toMatchObject({
    'team.edited': {
      team: { name: 'Hands' },
      changes: {
        name: { from: 'Crew' },
        description: { from: '' },
        notification_setting: { from: 'notifications_enabled' },
      },
    },
  });
  const membership = `${teams}/hands/memberships/${user.login}`;
  await client.put(membership);
  expect(await heard(here, target)).toMatchObject({
    'membership.added': { scope: 'team', member: { login: user.login }, team: { name: 'Hands' } },
  });
  await client.put(membership, { role: 'maintainer' });
  expect(await heard(here, target)).toEqual({});
  await client.delete(membership);
  expect(await heard(here, target)).toMatchObject({ 'membership.removed': { member: { login: user.login } } });

  const given = `${teams}/hands/repos/${org.login}/${repository.name}`;
  await client.put(given, { permission: 'push' });
  expect(await heard(here, target)).toMatchObject({
    'team.added_to_repository': { repository: { name: repository.name } },
    team_add: { team: { name: 'Hands', permission: 'push' }, repository: { name: repository.name } },
  });
  await client.put(given, { permission: 'push' });
  expect(await heard(here, target)).toEqual({});
  await client.put(given, { permission: 'admin' });
  expect(await heard(here, target)).toMatchObject({
    'team.edited': {
      team: { name: 'Hands', permission: 'admin' },
      repository: { name: repository.name },
      changes: { repository: { permissions: { from: { pull: true, push: true, admin: false } } } },
    },
  });
  await client.delete(given);
  expect(Object.keys(await heard(here, target))).toEqual(['team.removed_from_repository']);
  await client.delete(`${teams}/hands`);
  expect(await heard(here, target)).toMatchObject({ 'team.deleted': { team: { name: 'Hands' } } });
});
