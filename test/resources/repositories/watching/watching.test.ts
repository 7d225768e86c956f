import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { asId } from '#lib/id.ts';
import { createTeam, setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const logins = ({ body }: { body: { login: string }[] }) => body.map(({ login }) => login);
const names = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name);
const at = (repo: RepositoryRow & { owner: Account }) => `/repos/${repo.owner.login}/${repo.name}`;

test('a person watches a repository, ignores it and stops watching it', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada);
  const client = await w.as(bob);
  const path = `${at(repo)}/subscription`;
  expect((await client.get(path)).status).toBe(404);

  const watched = await client.put(path, { subscribed: true });
  expect(watched).toMatchObject({ status: 200, body: { subscribed: true, ignored: false, reason: null } });
  expect(watched.body).toMatchObject({ url: `${w.url}/api/v3${path}`, repository_url: `${w.url}/api/v3${at(repo)}` });
  expect((await client.get(path)).body).toEqual(watched.body);
  expect(logins(await client.get(`${at(repo)}/subscribers`))).toEqual([bob.login]);
  expect(names(await client.get('/user/subscriptions'))).toEqual([repo.name]);
  expect((await client.get(at(repo))).body).toMatchObject({ subscribers_count: 1, subscription_url: watched.body.url });

  expect((await client.put(path, { ignored: true })).body).toMatchObject({ subscribed: false, ignored: true });
  expect(logins(await client.get(`${at(repo)}/subscribers`))).toEqual([]);
  expect(names(await client.get('/user/subscriptions'))).toEqual([]);
  expect((await client.get(at(repo))).body).toMatchObject({ subscribers_count: 0 });

  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.put(path, { subscribed: false })).body).toMatchObject({ subscribed: false, ignored: false });
  expect((await client.get(path)).status).toBe(404);
});

test('who may push watches by itself: by creating, by an accepted invitation, and by a team', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const asAda = await w.as(ada);
  const { body: own } = await asAda.post('/user/repos', { name: 'engine' });
  await asAda.put(`/repos/${own.full_name}/collaborators/${bob.login}`);
  const asBob = await w.as(bob);
  const [invitation] = (await asBob.get('/user/repository_invitations')).body;
  await asBob.patch(`/user/repository_invitations/${invitation.id}`);
  await w.settle();
  expect(logins(await asAda.get(`/repos/${own.full_name}/subscribers`))).toEqual([ada.login, bob.login]);

  const org = await w.org(ada);
  await w.member(org, bob);
  await w.member(org, eve);
  const { body: shared } = await asAda.post(`/orgs/${org.login}/repos`, { name: 'shared', private: true });
  const { body: read } = await asAda.post(`/orgs/${org.login}/repos`, { name: 'read', private: true });
  await w.settle();
  const actor = { by: ada.id, now: w.clock.now };
  const repositoryOf = ({ id }: { id: number }) => ({ id: asId<'repositories'>(id), owner_id: org.id });
  const team = await w.change(async (scope) => {
    const pushers = await createTeam(scope, { ...actor, org, wanted: { name: 'pushers' } });
    await setTeamRole(scope, { ...actor, team: pushers, repository: repositoryOf(shared), role: 'write' });
    await setTeamRole(scope, { ...actor, team: pushers, repository: repositoryOf(read), role: 'read' });
    await setTeamMember(scope, { ...actor, team: pushers, user: bob, role: 'member' });
    return pushers;
  });
  await w.settle();
  expect(logins(await asAda.get(`/repos/${shared.full_name}/subscribers`))).toEqual([ada.login, bob.login]);
  expect(logins(await asAda.get(`/repos/${read.full_name}/subscribers`))).toEqual([ada.login]);
  await w.change((scope) => setTeamRole(scope, { ...actor, team, repository: repositoryOf(read), role: 'write' }));
  await w.settle();
  expect(logins(await asAda.get(`/repos/${read.full_name}/subscribers`))).toEqual([ada.login, bob.login]);
});

test('who stopped watching begins again by new access alone, and a fork is watched by nobody', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada);
  await w.settle();
  const client = await w.as(ada);
  await client.delete(`${at(repo)}/subscription`);
  await client.patch(at(repo), { description: 'changed' });
  const asBob = await w.as(bob);
  const { body: fork } = await asBob.post(`${at(repo)}/forks`);
  await w.settle();
  expect(logins(await client.get(`${at(repo)}/subscribers`))).toEqual([]);
  expect(logins(await client.get(`/repos/${fork.full_name}/subscribers`))).toEqual([]);
});

test('who may not read a repository any more is not shown at once, and does not watch it soon after', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const repo = await w.repo(ada);
  await w.collaborator(repo, eve, 'read');
  const [asAda, asBob, asEve] = [await w.as(ada), await w.as(bob), await w.as(eve)];
  for (const client of [asBob, asEve]) await client.put(`${at(repo)}/subscription`, {});
  await w.settle();
  await asAda.patch(at(repo), { visibility: 'private' });
  expect(logins(await asAda.get(`${at(repo)}/subscribers`))).toEqual([ada.login, eve.login]);
  expect((await asAda.get(at(repo))).body.subscribers_count).toBe(2);
  expect(names(await asBob.get('/user/subscriptions'))).toEqual([]);
  expect((await asBob.get(`${at(repo)}/subscription`)).status).toBe(404);
  await w.settle();
  await asAda.patch(at(repo), { visibility: 'public' });
  expect(logins(await asAda.get(`${at(repo)}/subscribers`))).toEqual([ada.login, eve.login]);
});

test('what somebody watches in private is shown to those who may read it', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const [open, closed] = [await w.repo(ada), await w.repo(ada, { visibility: 'private' })];
  await w.collaborator(closed, bob, 'read');
  await w.settle();
  const path = `/users/${ada.login}/subscriptions`;
  expect(names(await (await w.as(bob)).get(path))).toEqual([open.name, closed.name]);
  expect(names(await (await w.as(eve)).get(path))).toEqual([open.name]);
  expect(names(await (await w.as(undefined)).get(path))).toEqual([open.name]);
  expect(names(await (await w.as(await w.token(ada, ['public_repo']))).get('/user/subscriptions'))).toEqual([open.name]);
});

test('the scope notifications is enough for one’s own subscription, in private repositories too; other scopes and kinds are not', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'private' });
  const path = `${at(repo)}/subscription`;
  expect((await (await w.as(await w.token(ada, ['notifications']))).put(path, {})).status).toBe(200);
  expect((await (await w.as(await w.token(ada, ['gist']))).get(path)).status).toBe(404);
  expect((await (await w.as(await w.fineGrained(ada, ada, { metadata: 'read' }))).get(path)).status).toBe(403);
});

test('lists of watchers and of what is watched send as many statements for one as for thirty', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada);
  await w.settle();
  const counts = async () => [
    await w.statements(ada, `${at(repo)}/subscribers`),
    await w.statements(ada, `/users/${ada.login}/subscriptions`),
    await w.statements(bob, '/user/subscriptions'),
    await w.statements(ada, at(repo)),
  ];
  await (await w.as(bob)).put(`${at(repo)}/subscription`, {});
  const few = await counts();
  const more = await Promise.all(Array.from({ length: 28 }, () => w.user()));
  const repositories = await Promise.all(more.map(() => w.repo(ada)));
  const rows = [
    ...more.map(({ id }) => ({ account_id: id, repository_id: repo.id, created_at: w.clock.now })),
    ...repositories.flatMap(({ id }) =>
      [ada, bob].map((account) => ({ account_id: account.id, repository_id: id, created_at: w.clock.now })),
    ),
  ];
  await w.db.insertInto('repository_subscriptions').values(rows).execute();
  expect(await counts()).toEqual(few);
});
