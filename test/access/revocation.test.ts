// Revoked access ends with the next request, through every entry point, and in every process.
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import type { Id } from '#lib/id.ts';
import { hashToken } from '#lib/token.ts';
import { hasOpenSsh, sshWorld } from '#test/ssh-server/support.ts';
import { installApp } from '#test/support/apps.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh } from '#test/support/world.ts';

const { here, git, keyFile, address } = await sshWorld();
const processes = [here.hearth, await here.another()];

const admin = await here.user(fresh('admin'), { site_admin: true });
const owner = await here.user();
const asOwner = await here.as(owner);

/** Entry points for reading, each with a test whether it works. */
type Ways = Readonly<Record<string, () => Promise<boolean>>>;

/** A private repository of an organization, with a commit and an issue that a search finds by its word. */
async function makeStage() {
  const org = await here.org(owner);
  const repo = await here.repo(org, { visibility: 'private', by: owner });
  const path = `/repos/${org.login}/${repo.name}`;
  const word = fresh('needle').replace('-', '');
  await commitFiles(here, repo, { 'a.txt': 'one\n' });
  await asOwner.patch(`/orgs/${org.login}`, { default_repository_permission: 'none' });
  expect((await asOwner.post(`${path}/issues`, { title: word })).status).toBe(201);
  await here.settle();
  return { org, repo, path, word };
}

type Stage = Awaited<ReturnType<typeof makeStage>>;

/** Checks every process. They must agree. */
async function everywhere(
  token: string | undefined,
  url: string,
): Promise<{ statusCode: number; location: string; body: string }> {
  const authorization = url.startsWith('/api/') ? `Bearer ${token}` : `Basic ${btoa(`x:${token}`)}`;
  const headers = token === undefined ? {} : { authorization };
  const [first, ...others] = await Promise.all(processes.map(({ app }) => app.inject({ url, headers })));
  if (!first) throw new Error('There is a process');
  for (const other of others) expect(other.statusCode, url).toBe(first.statusCode);
  return { statusCode: first.statusCode, location: String(first.headers.location ?? ''), body: first.body };
}

/** The entry points for the holder of a token, and for an archive address that they got while they could read. */
async function waysOf(token: string, { org, repo, path, word }: Stage, key?: ReturnType<typeof keyFile>): Promise<Ways> {
  const { location } = await everywhere(token, `/api/v3${path}/tarball/main`);
  const search = `/api/v3/search/issues?q=${word}+is:issue`;
  return {
    'the API': async () => (await everywhere(token, `/api/v3${path}`)).statusCode === 200,
    search: async () => (await everywhere(token, search)).body.includes('"total_count":1'),
    'Git over HTTP': async () =>
      (await everywhere(token, `/${org.login}/${repo.name}.git/info/refs?service=git-upload-pack`)).statusCode === 200,
    'an address of an archive': async () => (await everywhere(undefined, new URL(location).pathname)).statusCode === 200,
    ...(key ? { 'Git over SSH': async () => (await git(key, ['ls-remote', address(org.login, repo.name)])).code === 0 } : {}),
  };
}

/** The entry points that work. */
async function open(ways: Ways): Promise<string[]> {
  const tried = await Promise.all(Object.entries(ways).map(async ([name, way]) => ((await way()) ? [name] : [])));
  return tried.flat().toSorted();
}

type Person = {
  account: Account;
  token: string;
  key: ReturnType<typeof keyFile> | undefined;
  keyId: Id<'public_keys'> | undefined;
};

async function makePerson(): Promise<Person> {
  const account = await here.user();
  const token = await here.token(account);
  if (!hasOpenSsh) return { account, token, key: undefined, keyId: undefined };
  const key = keyFile();
  const { body } = await (await here.as(token)).post('/user/keys', { key: key.line });
  return { account, token, key, keyId: body.id };
}

type Revocation = {
  give: (stage: Stage, person: Person) => Promise<unknown>;
  revoke: (stage: Stage, person: Person) => Promise<unknown>;
  /** Entry points that don't depend on the revoked access. */
  stay?: readonly string[];
};

const collaborator = (stage: Stage, { account }: Person) => here.collaborator(stage.repo, account, 'read');
const teamPath = ({ org }: Stage) => `/orgs/${org.login}/teams/readers`;

async function intoTeam(stage: Stage, { account }: Person): Promise<void> {
  await here.member(stage.org, account);
  await asOwner.post(`/orgs/${stage.org.login}/teams`, { name: 'above', privacy: 'closed' });
  const { body: parent } = await asOwner.get(`/orgs/${stage.org.login}/teams/above`);
  const { status } = await asOwner.post(`/orgs/${stage.org.login}/teams`, { name: 'readers', parent_team_id: parent.id });
  expect(status).toBe(201);
  await asOwner.put(`/orgs/${stage.org.login}/teams/above${stage.path}`, { permission: 'pull' });
  expect((await asOwner.put(`${teamPath(stage)}/memberships/${account.login}`)).status).toBe(200);
}

const throughMembership = async (stage: Stage, { account }: Person): Promise<void> => {
  await here.member(stage.org, account);
  await asOwner.patch(`/orgs/${stage.org.login}`, { default_repository_permission: 'read' });
};

/** The address of a member's role as a security manager. */
async function managerPath({ login }: Account, account: Account): Promise<string> {
  const { body } = await asOwner.get(`/orgs/${login}/organization-roles`);
  const { id } = body.roles.find(({ name }: { name: string }) => name === 'security_manager');
  return `/orgs/${login}/organization-roles/users/${account.login}/${id}`;
}

const revocations: Readonly<Record<string, Revocation>> = {
  'a collaborator is removed': {
    give: collaborator,
    revoke: ({ path }, { account }) => asOwner.delete(`${path}/collaborators/${account.login}`),
  },
  'a team is left': {
    give: intoTeam,
    revoke: (stage, { account }) => asOwner.delete(`${teamPath(stage)}/memberships/${account.login}`),
  },
  'the team above loses the repository': {
    give: intoTeam,
    revoke: ({ org, path }) => asOwner.delete(`/orgs/${org.login}/teams/above${path}`),
  },
  'an organization is left': {
    give: throughMembership,
    revoke: ({ org }, { account }) => asOwner.delete(`/orgs/${org.login}/members/${account.login}`),
  },
  'a role of the organization is withdrawn': {
    give: async ({ org }, { account }) => {
      await here.member(org, account);
      expect((await asOwner.put(await managerPath(org, account))).status).toBe(204);
    },
    revoke: async ({ org }, { account }) => asOwner.delete(await managerPath(org, account)),
  },
  'members have no role any more': {
    give: throughMembership,
    revoke: ({ org }) => asOwner.patch(`/orgs/${org.login}`, { default_repository_permission: 'none' }),
  },
  'what was public is private': {
    give: ({ path }) => asOwner.patch(path, { visibility: 'internal' }),
    revoke: ({ path }) => asOwner.patch(path, { visibility: 'private' }),
  },
  'the account is suspended': {
    give: collaborator,
    revoke: async (_, { account }) => (await here.as(admin)).put(`/users/${account.login}/suspended`),
  },
  'the token is deleted': {
    give: collaborator,
    revoke: (_, { token }) => here.db.deleteFrom('tokens').where('hash', '=', hashToken(token)).execute(),
    stay: ['Git over SSH'],
  },
  'the token loses its scopes': {
    give: collaborator,
    revoke: (_, { token }) => here.db.updateTable('tokens').set({ scopes: [] }).where('hash', '=', hashToken(token)).execute(),
    stay: ['Git over SSH'],
  },
  'the SSH key is deleted': {
    give: collaborator,
    revoke: async (_, { token, keyId }) => (await here.as(token)).delete(`/user/keys/${keyId}`),
    stay: ['Git over HTTP', 'an address of an archive', 'search', 'the API'],
  },
};

test.each(Object.entries(revocations))('%s', async (_, { give, revoke, stay = [] }) => {
  const [stage, person] = [await makeStage(), await makePerson()];
  await give(stage, person);
  const ways = await waysOf(person.token, stage, person.key);
  expect(await open(ways)).toEqual(Object.keys(ways).toSorted());
  await revoke(stage, person);
  expect(await open(ways)).toEqual(stay.filter((way) => way in ways).toSorted());
});

const ofInstallations: Readonly<Record<string, (installation: Id<'installations'>) => Promise<unknown>>> = {
  'an installation is suspended': (id) =>
    here.db.updateTable('installations').set({ suspended_at: here.clock.now }).where('id', '=', id).execute(),
  'an installation is deleted': (id) => here.db.deleteFrom('installations').where('id', '=', id).execute(),
  'an installation has other repositories': (id) =>
    here.db.updateTable('installations').set({ repository_selection: 'selected' }).where('id', '=', id).execute(),
  'an installation has no permission any more': (id) =>
    here.db.updateTable('installations').set({ permissions: '{}' }).where('id', '=', id).execute(),
};

test.each(Object.entries(ofInstallations))('%s', async (name, revoke) => {
  const stage = await makeStage();
  const permissions = { contents: 'read', issues: 'read', metadata: 'read' };
  const { installation, token, userToken } = await installApp(here, { on: stage.org, permissions });
  const ways = await Promise.all([waysOf(token, stage), waysOf(await userToken(owner), stage)]);
  for (const each of ways) expect(await open(each)).toEqual(Object.keys(each).toSorted());
  await revoke(installation);
  // Every installation may read metadata.
  const stay = name.includes('no permission') ? ['the API'] : [];
  for (const each of ways) expect(await open(each)).toEqual(stay);
});

test('a role that is lowered pushes no more', async () => {
  const [stage, person] = [await makeStage(), await makePerson()];
  const { org, repo, path } = stage;
  await here.collaborator(repo, person.account, 'write');
  const advertised = async () =>
    (await everywhere(person.token, `/${org.login}/${repo.name}.git/info/refs?service=git-receive-pack`)).statusCode;
  const client = await here.as(person.token);
  const write = async (name: string) =>
    (await client.put(`${path}/contents/${name}`, { message: 'm', content: btoa('x') })).status;
  const push = async (branch: string) => {
    if (!person.key) return 1;
    const clone = `${here.clock.now.getTime()}-${branch}`;
    await git(person.key, ['clone', '-q', address(org.login, repo.name), clone]);
    return (await git(person.key, ['-C', clone, 'push', '-q', 'origin', `HEAD:${branch}`])).code;
  };
  expect([await advertised(), await write('b.txt'), await push('one')]).toEqual([200, 201, hasOpenSsh ? 0 : 1]);
  expect((await asOwner.put(`${path}/collaborators/${person.account.login}`, { permission: 'pull' })).status).toBe(204);
  const [refused, status, code] = [await advertised(), await write('c.txt'), await push('two')];
  expect([refused, status]).toEqual([403, 403]);
  expect(code).not.toBe(0);
});
