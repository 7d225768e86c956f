import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTeam, setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import type { TeamRecord } from '#resources/platform/migrations/archive/format.ts';
import { oauthToken } from '#test/support/apps.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, type World, world } from '#test/support/world.ts';
import { archiveOf, download, exported, importInto, unpack } from './support.ts';

const run = promisify(execFile);
const here: World = await world();

/** An organization with two owners and a member, and a private repository. */
async function stage() {
  const owner = await here.user(fresh('owner'), { email: `${fresh('mail')}@example.org` });
  const [second, member] = [
    await here.user(fresh('second')),
    await here.user(fresh('member'), { email: `${fresh('member')}@example.org` }),
  ];
  const org = await here.org(owner, fresh('acme'));
  await here.member(org, second, 'owner');
  await here.member(org, member);
  const repo = await here.repo(org, { by: owner, visibility: 'private' });
  const base = `/orgs/${org.login}/migrations`;
  return { owner, second, member, org, repo, name: `${org.login}/${repo.name}`, base, client: await here.as(owner) };
}

test("an organization's migration is its owners' alike, and nobody else's", async () => {
  const { owner, second, member, org, repo, name, base, client } = await stage();
  const { status, body, headers } = await client.post(base, { repositories: [name] });
  expect(status).toBe(201);
  expect(headers.location).toBe(body.url);
  expect(body).toMatchObject({
    owner: { login: org.login, type: 'Organization' },
    state: 'pending',
    repositories: [{ id: repo.id }],
  });
  expect(body.url).toBe(`${here.url}/api/v3${base}/${body.id}`);
  await here.settle();

  const theirs = await here.as(second);
  const one = `${base}/${body.id}`;
  expect((await theirs.get(one)).body).toMatchObject({ state: 'exported', archive_url: `${body.url}/archive` });
  expect((await theirs.get(base)).body).toMatchObject([{ id: body.id, repositories: [{ full_name: name }] }]);
  expect((await theirs.get(`${base}?exclude=repositories`)).body).toMatchObject([{ id: body.id, repositories: [] }]);
  expect((await theirs.get(`${one}/repositories`)).body).toMatchObject([{ full_name: name }]);
  expect((await unpack(await download(here, second, body.id, base))).names).toContain('schema.json');

  const other = await stage();
  for (const [who, at] of [
    [member, base],
    [await here.user(), base],
    [other.owner, base],
    [other.owner, other.base],
    [owner, '/user/migrations'],
  ] as const) {
    const asked = await here.as(who);
    const path = `${at}/${body.id}`;
    const answers = [
      await asked.get(path),
      await asked.get(`${path}/repositories`),
      await asked.get(`${path}/archive`),
      await asked.delete(`${path}/archive`),
      await asked.delete(`${path}/repos/${repo.name}/lock`),
    ];
    const isOwner = at !== base;
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, ...(isOwner ? [404, 404] : [403, 403])]);
  }
  expect((await (await here.as(member)).post(base, { repositories: [name] })).status).toBe(403);
  expect((await client.get('/user/migrations')).body).toEqual([]);
  expect((await theirs.delete(`${one}/archive`)).status).toBe(204);
  expect((await client.get(`${one}/archive`)).status).toBe(404);
});

test('a token with scopes needs both admin:org and repo, and one with permissions will not do', async () => {
  const { owner, org, name, base, client } = await stage();
  const { body } = await client.post(base, { repositories: [name] });
  const statusFor = async (token: string | undefined) => (await (await here.as(token)).get(`${base}/${body.id}`)).status;
  expect(await statusFor(await here.token(owner, ['admin:org', 'repo']))).toBe(200);
  expect(await statusFor(await oauthToken(here, owner, ['admin:org', 'repo']))).toBe(200);
  expect(await statusFor(undefined)).toBe(401);
  expect(await statusFor(await here.token(owner, ['admin:org']))).toBe(404);
  expect(await statusFor(await here.token(owner, ['repo', 'write:org']))).toBe(404);
  expect(await statusFor(await here.fineGrained(owner, org, { organization_administration: 'write' }))).toBe(403);
  const lacking = await here.as(await here.token(owner, ['admin:org', 'public_repo']));
  const refused = await lacking.post(base, { repositories: [name] });
  expect([refused.status, refused.headers['x-accepted-oauth-scopes']]).toEqual([403, 'admin:org, repo']);
});

test('what is not a repository of the organization is refused by name', async () => {
  const { owner, org, name, base, client } = await stage();
  const own = await here.repo(owner);
  const names = [`${owner.login}/${own.name}`, `${org.login}/none`];
  await here.unchanged(['migrations', 'migration_repositories', 'events'], async () => {
    const { status, body } = await client.post(base, { repositories: [name, ...names], lock_repositories: true });
    const message = `These are not repositories of ${org.login}: ${names.join(', ')}`;
    expect([status, body.errors]).toEqual([422, [{ resource: 'Migration', field: 'repositories', code: 'invalid', message }]]);
  });
});

test('a lock is unlocked by any owner, and a list costs the same for one migration and for many', async () => {
  const { owner, second, repo, name, base, client } = await stage();
  const { body } = await client.post(base, { repositories: [name], lock_repositories: true });
  expect((await client.patch(`/repos/${name}`, { description: 'Other' })).status).toBe(403);
  const few = await here.statements(owner, base);
  for (let at = 0; at < 4; at++) await client.post(base, { repositories: [name] });
  expect(await here.statements(owner, base)).toBe(few);
  const theirs = await here.as(second);
  expect((await theirs.delete(`${base}/${body.id}/repos/${repo.name}/lock`)).status).toBe(204);
  expect((await client.patch(`/repos/${name}`, { description: 'Other' })).status).toBe(200);
});

test('an archive outlives the account that started it, and its archives count for the organization', async () => {
  const { owner, second, name, base } = await stage();
  const theirs = await here.as(second);
  const { body } = await theirs.post(base, { repositories: [name] });
  await here.db.deleteFrom('accounts').where('id', '=', second.id).execute();
  await here.settle();
  expect((await unpack(await download(here, owner, body.id, base))).names).toContain('repositories_000001.json');
  const client = await here.as(owner);
  for (let at = 1; at < 10; at++) expect((await client.post(base, { repositories: [name] })).status).toBe(201);
  expect((await client.post(base, { repositories: [name] })).status).toBe(422);
  const own = await here.repo(owner);
  const mine = await client.post('/user/migrations', { repositories: [`${owner.login}/${own.name}`] });
  expect(mine.status).toBe(201);
});

/** Teams one below the other, with a role in a repository, and a secret one with a role in another. */
async function withTeams() {
  const made = await stage();
  const { owner, org, member, repo } = made;
  const unasked = await here.repo(org, { by: owner, visibility: 'private' });
  const actor = { by: owner.id, now: here.clock.now };
  await here.change(async (scope) => {
    const wanted = { name: 'Engines', privacy: 'closed', description: 'All of them' } as const;
    const engines = await createTeam(scope, { ...actor, org, wanted });
    const steam = await createTeam(scope, { ...actor, org, wanted: { name: 'Steam', parent: engines.id } });
    const hidden = await createTeam(scope, { ...actor, org, wanted: { name: 'Hidden' } });
    await setTeamMember(scope, { ...actor, team: steam, user: member, role: 'maintainer' });
    await setTeamRole(scope, { ...actor, team: engines, repository: repo, role: 'write' });
    await setTeamRole(scope, { ...actor, team: hidden, repository: unasked, role: 'admin' });
  });
  return { ...made, unasked };
}

test("an organization's archive has its members and teams, and nothing that is private to people", async () => {
  const { owner, second, member, org, repo, unasked, name, base, client } = await withTeams();
  await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config: { url: 'https://ci.example/hook', secret: 'a secret' } });
  await here.repo(owner, { visibility: 'private' });
  const archive = await archiveOf(here, owner, { repositories: [name] }, base);

  const web = (...parts: string[]) => [here.url, ...parts].join('/');
  expect(await archive.objects('repositories')).toMatchObject([{ url: web(org.login, repo.name) }]);
  const [told, ...none] = await archive.objects('organizations');
  expect(none).toEqual([]);
  expect(told.members).toEqual([
    { user: web(owner.login), role: 'admin' },
    { user: web(second.login), role: 'admin' },
    { user: web(member.login), role: 'member' },
  ]);
  const team = (slug: string) => web('orgs', org.login, 'teams', slug);
  expect(await archive.objects('teams')).toMatchObject([
    {
      url: team('engines'),
      organization: web(org.login),
      name: 'Engines',
      description: 'All of them',
      privacy: 'closed',
      parent_team: null,
      members: [],
      permissions: [{ repository: web(org.login, repo.name), access: 'push' }],
    },
    {
      url: team('steam'),
      privacy: 'closed',
      parent_team: team('engines'),
      members: [{ user: web(member.login), role: 'maintainer' }],
      permissions: [],
    },
    { url: team('hidden'), privacy: 'secret', permissions: [] },
  ]);
  const users = await archive.objects('users');
  expect(users.map(({ login, emails }) => [login, emails])).toEqual([owner, second, member].map(({ login }) => [login, []]));
  const text = JSON.stringify(await Promise.all(['users', 'organizations', 'teams', 'repositories'].map(archive.objects)));
  expect(text).not.toMatch(/@example\.org|a secret|ci\.example/);
  expect(text).not.toContain(unasked.name);
  expect(archive.names.some((entry) => entry.includes(unasked.name))).toBe(false);
});

test('org_metadata_only brings this organization alone, with its people and teams', async () => {
  const { owner, org, base } = await withTeams();
  await here.org(owner);
  const { names, objects } = await archiveOf(here, owner, { repositories: [], org_metadata_only: true }, base);
  expect(names).toEqual(['organizations_000001.json', 'schema.json', 'teams_000001.json', 'users_000001.json']);
  expect(await objects('organizations')).toMatchObject([{ login: org.login }]);
  expect(await objects('teams')).toHaveLength(3);
});

test('a repository that the organization has given away before the export is left out', async () => {
  const { owner, name, repo, org, base, client } = await stage();
  const stays = await here.repo(org, { by: owner });
  const { body } = await client.post(base, { repositories: [name, `${org.login}/${stays.name}`] });
  await here.db.updateTable('repositories').set({ owner_id: owner.id }).where('id', '=', repo.id).execute();
  await here.settle();
  const { objects } = await unpack(await download(here, owner, body.id, base));
  expect((await objects('repositories')).map(({ name }) => name)).toEqual([stays.name]);
});

const importBytes = (bytes: Buffer, into?: string) => importInto(here, bytes, { into });

test('an organization that moves has its teams, members and roles again', async () => {
  const { owner, member, org, repo, name, base } = await withTeams();
  await commitFiles(here, repo, { 'a.txt': 'one' });
  const bytes = await download(here, owner, await exported(here, owner, { repositories: [name] }, base), base);
  const before = await unpack(bytes);
  await here.db.deleteFrom('repositories').where('owner_id', '=', org.id).execute();
  await here.db.deleteFrom('accounts').where('id', '=', org.id).execute();

  expect(await importBytes(bytes)).toEqual({ repositories: [name], accounts: 1 });

  const after = await archiveOf(here, owner, { repositories: [name] }, base);
  expect(await after.objects('teams')).toEqual(await before.objects('teams'));
  expect(await after.objects('organizations')).toEqual(await before.objects('organizations'));
  // The role of a team holds for people of the team below it.
  const { body } = await (await here.as(member)).get(`/repos/${name}`);
  expect(body.permissions).toMatchObject({ push: true, admin: false });
});

test('an archive can be read into an organization that is here, whose members and teams stay who they are', async () => {
  const { owner, member, org, repo, name, base } = await withTeams();
  const bytes = await download(here, owner, await exported(here, owner, { repositories: [name] }, base), base);
  const target = await here.org(owner, fresh('umbrella'));
  await here.member(target, member);
  const actor = { by: owner.id, now: here.clock.now };
  await here.change((scope) => createTeam(scope, { ...actor, org: target, wanted: { name: 'Steam' } }));

  const moved = `${target.login}/${repo.name}`;
  expect(await importBytes(bytes, target.login.toUpperCase())).toEqual({ repositories: [moved], accounts: 0 });

  const { objects } = await archiveOf(here, owner, { repositories: [moved] }, `/orgs/${target.login}/migrations`);
  const [{ members }] = await objects('organizations');
  expect(members).toHaveLength(2);
  const told = (await objects('teams')).map((team) => [team.name, team.parent_team, team.members.length, team.permissions]);
  expect(told.toSorted()).toEqual([
    ['Engines', null, 0, [{ repository: `${here.url}/${moved}`, access: 'push' }]],
    ['Hidden', null, 0, []],
    ['Steam', null, 0, []],
  ]);
  expect(await here.db.selectFrom('teams').selectAll().where('organization_id', '=', org.id).execute()).toHaveLength(3);

  await expect(importBytes(bytes, target.login)).rejects.toThrow(/here already/);
  await expect(importBytes(bytes, 'nobody-at-all')).rejects.toThrow(/no organization here/);
  await expect(importBytes(bytes, owner.login)).rejects.toThrow(/no organization here/);
  const own = await here.repo(owner);
  const personal = await download(here, owner, await exported(here, owner, { repositories: [`${owner.login}/${own.name}`] }));
  await expect(importBytes(personal, target.login)).rejects.toThrow(/of one organization, and 0 are in it/);
});

test('an archive gives nobody the roles of a team that is here', async () => {
  const { owner, member, name, base } = await withTeams();
  const bytes = await download(here, owner, await exported(here, owner, { repositories: [name] }, base), base);
  const target = await here.org(owner, fresh('umbrella'));
  await here.member(target, member);
  const actor = { by: owner.id, now: here.clock.now };
  const secret = await here.repo(target, { by: owner, visibility: 'private' });
  // The archive has the team Steam, with the member, below a team of the name that this one has.
  await here.change(async (scope) => {
    const engines = await createTeam(scope, { ...actor, org: target, wanted: { name: 'Engines', privacy: 'closed' } });
    await setTeamRole(scope, { ...actor, team: engines, repository: secret, role: 'admin' });
  });
  await importBytes(bytes, target.login);
  const { body } = await (await here.as(member)).get(`/repos/${target.login}/${secret.name}`);
  expect(body.permissions).toMatchObject({ pull: true, push: false, admin: false });
});

test.each<[string, (team: TeamRecord, all: TeamRecord[]) => Partial<TeamRecord>, RegExp]>([
  ['below itself', ({ url }) => ({ parent_team: url }), /is below itself/],
  ['in a circle', (_one, all) => ({ parent_team: all[1]?.url ?? null }), /is below itself/],
  ['below one that is missing', () => ({ parent_team: 'https://x.example/y' }), /which is not in it/],
  ['of another organization', () => ({ organization: 'https://x.example/y' }), /which is not in it/],
  [
    'with a role in another repository',
    () => ({ permissions: [{ repository: 'https://x.example/y/z', access: 'admin' }] }),
    /not a repository of its organization/,
  ],
])('an archive with a team %s is refused, and nothing of it is imported', async (_what, change, reason) => {
  const { owner, name, base } = await withTeams();
  const archive = await archiveOf(here, owner, { repositories: [name], exclude_git_data: true }, base);
  const teams: TeamRecord[] = await archive.objects('teams');
  const [first, ...others] = teams;
  if (!first) throw new Error('There is no team');
  const file = join(archive.folder, 'teams_000001.json');
  await writeFile(file, JSON.stringify([{ ...first, ...change(first, teams) }, ...others]));
  const bytes = (await run('tar', ['-cz', '-C', archive.folder, '.'], { encoding: 'buffer' })).stdout;
  await here.unchanged(['accounts', 'repositories', 'teams', 'events'], async () => {
    await expect(importBytes(bytes)).rejects.toThrow(reason);
  });
});
