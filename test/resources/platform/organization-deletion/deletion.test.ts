import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { addMinutes } from '#lib/time.ts';
import { removeDeleted } from '#resources/platform/organization-deletion/jobs.ts';
import { deleteOrganization } from '#resources/platform/organization-deletion/rules.ts';
import { askToRemove } from '#resources/platform/organization-deletion/work.ts';
import { asOwned } from '#test/resources/identity/members/setting.ts';
import { installApp } from '#test/support/apps.ts';
import { overlapping } from '#test/support/race.ts';
import { fresh, world } from '#test/support/world.ts';
import { heard, listening, parts } from '../webhooks/listening.ts';

const w = await world({ vocabulary: 'github' });

const exists = ({ id }: Pick<RepositoryRow, 'id'>) => repositoryExists(repoOf(w.hearth.services.git, id));

/** An organization with a public, an internal and a private repository, a member, a team, a collaborator and an app. */
async function setting() {
  const [owner, member, outsider, guest] = [await w.user(), await w.user(), await w.user(), await w.user()];
  const org = await w.org(owner);
  await w.member(org, member);
  const open = await w.repo(org, { by: owner });
  const inner = await w.repo(org, { visibility: 'internal', by: owner });
  const secret = await w.repo(org, { visibility: 'private', by: owner });
  await w.collaborator(secret, outsider, 'admin');
  const client = await w.as(owner);
  const path = `/orgs/${org.login}`;
  await client.post(`${path}/teams`, { name: 'Crew', privacy: 'closed', repo_names: [`${org.login}/${secret.name}`] });
  await client.put(`${path}/teams/crew/memberships/${member.login}`);
  await client.put(`${path}/memberships/${guest.login}`);
  const app = await installApp(w, { on: org, permissions: { metadata: 'read', contents: 'read' } });
  return { owner, member, outsider, guest, org, open, inner, secret, client, path, app, repos: [open, inner, secret] };
}

/** Lets the job finish, after the time in which webhooks tell of the deletion. */
async function finish(): Promise<void> {
  const before = w.clock.now;
  w.clock.now = addMinutes(before, 11);
  await w.change((scope) => askToRemove(scope.tx));
  await w.settle();
  w.clock.now = before;
}

test('who deletes an organization is answered at once, and from then on nobody finds anything of it', async () => {
  const { owner, member, outsider, guest, org, open, repos, client, path, app } = await setting();
  const deleted = await client.delete(path);
  expect(deleted).toMatchObject({ status: 202, body: {} });

  for (const who of [owner, member, outsider, guest, undefined, app.token]) {
    const one = await w.as(who);
    const urlsOf = (login: string, id: number, repository: number) => [
      ...['', '/members', '/repos', '/hooks'].map((below) => `/orgs/${login}${below}`),
      ...repos.map(({ name }) => `/repos/${login}/${name}`),
      `/users/${login}`,
      `/user/${id}`,
      `/repositories/${repository}`,
    ];
    const replies = async (...names: Parameters<typeof urlsOf>) => {
      const found = await Promise.all(urlsOf(...names).map((url) => one.get(url)));
      return found.map(({ status, body }) => ({ status, body }));
    };
    const never = await replies('never-was', 999_999_999, 999_999_999);
    expect(never.map(({ status }) => status)).not.toContain(200);
    expect(await replies(org.login, org.id, open.id)).toEqual(never);
  }
  const asMember = await w.as(member);
  for (const list of ['/user/orgs', '/user/memberships/orgs', '/user/teams', '/user/repos', '/repositories', '/organizations'])
    expect(JSON.stringify((await asMember.get(list)).body), list).not.toContain(`${org.login}"`);
  expect((await (await w.as(guest)).get('/user/memberships/orgs')).body).toEqual([]);
  expect((await asMember.get(`/search/users?q=${org.login}`)).body.total_count).toBe(0);
  expect(JSON.stringify((await asMember.get('/users?per_page=100')).body)).not.toContain(`"${org.login}"`);
  expect((await client.delete(path)).status).toBe(404);
  expect((await client.post(`${path}/repos`, { name: 'late' })).status).toBe(404);
});

test('the job removes repositories with their folders, and then the name is free', async () => {
  const { owner, org, repos, client, path } = await setting();
  expect(await Promise.all(repos.map(exists))).toEqual([true, true, true]);
  const fork = (await (await w.as(await w.user())).post(`/repos/${org.login}/${repos[0]?.name}/forks`, {})).body;
  await client.delete(path);
  await w.settle();
  expect(await Promise.all(repos.map(exists))).toEqual([false, false, false]);
  expect(await w.db.selectFrom('repositories').select('id').where('owner_id', '=', org.id).execute()).toEqual([]);
  expect((await (await w.as(undefined)).get(`/repos/${fork.full_name}`)).body).toMatchObject({ id: fork.id });

  await finish();
  expect(await w.db.selectFrom('accounts').select('id').where('id', '=', org.id).execute()).toEqual([]);
  const again = await w.org(owner, org.login);
  expect(again.id).not.toBe(org.id);
  expect((await client.get(path)).body.id).toBe(again.id);
});

test('a job that is killed is followed by one that goes on', async () => {
  const { org, repos, client, path } = await setting();
  await client.delete(path);
  let calls = 0;
  const context = w.jobContext();
  const dying = {
    ...context,
    change: (work: Parameters<typeof w.change>[0]) => {
      calls += 1;
      if (calls > 1) throw new Error('killed');
      return w.change(work);
    },
  } as typeof context;
  await expect(removeDeleted.run({}, dying)).rejects.toThrow('killed');
  const left = () => w.db.selectFrom('repositories').select('id').where('owner_id', '=', org.id).execute();
  expect(await left()).toHaveLength(2);
  await w.settle();
  expect(await left()).toEqual([]);
  expect(await Promise.all(repos.map(exists))).toEqual([false, false, false]);
});

test('webhooks of the organization tell of the deletion, and apps are told that they are uninstalled', async () => {
  const { here, owner, org, client, target } = await listening();
  await here.repo(org, { by: owner });
  await heard(here, target);
  await client.delete(`/orgs/${org.login}`);
  const told = await heard(here, target);
  expect(told).toMatchObject({ 'organization.deleted': { ...parts(org, owner) } });
  expect(Object.keys(told)).toEqual(['organization.deleted']);
  const app = await setting();
  await app.client.delete(app.path);
  expect((await (await w.as(app.app.token)).get('/installation/repositories')).status).toBe(401);
});

test('only owners delete an organization, and what they may not changes nothing', async () => {
  const { owner, member, outsider, org, path } = await setting();
  await w.unchanged(['accounts', 'memberships', 'repositories', 'teams', 'events'], async () => {
    for (const who of [member, outsider, await w.token(owner, ['repo', 'write:org'])])
      expect([403, 404]).toContain((await (await w.as(who)).delete(path)).status);
    expect((await (await w.as(undefined)).delete(path)).status).toBe(401);
    expect((await (await w.as(owner)).delete(`/orgs/${fresh('none')}`)).status).toBe(404);
    expect((await (await w.as(owner)).delete(`/orgs/${owner.login}`)).status).toBe(404);
  });
  expect(org.id).toBeGreaterThan(0);
});

test('two deletions at once are one', async () => {
  const { owner, org } = await setting();
  const action = { org: asOwned(org), by: { account: owner, grant: { kind: 'none' } as const }, now: w.clock.now };
  const once = (scope: Parameters<typeof deleteOrganization>[0]) => deleteOrganization(scope, action);
  expect(await overlapping(w, once, once)).toEqual(['done', 'not_found']);
});

test('the request takes as many statements for 20 repositories and members as for 1', async () => {
  const numbers: number[] = [];
  for (const many of [1, 20]) {
    const owner = await w.user();
    const org = await w.org(owner);
    for (let at = 0; at < many; at++) {
      await w.repo(org, { by: owner });
      await w.member(org, await w.user());
    }
    const headers = { authorization: `Bearer ${await w.token(owner)}` };
    await w.hearth.app.inject({ method: 'GET', url: `/api/v3/orgs/${org.login}`, headers });
    const ask = () => w.hearth.app.inject({ method: 'DELETE', url: `/api/v3/orgs/${org.login}`, headers });
    const { result, statements } = await countStatements(ask);
    expect(result.statusCode).toBe(202);
    numbers.push(statements.length);
  }
  expect(numbers[1]).toBe(numbers[0]);
  expect(numbers[0]).toBeLessThanOrEqual(14);
});
