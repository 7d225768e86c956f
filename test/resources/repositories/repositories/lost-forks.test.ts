import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { repoOf } from '#git/store.ts';
import type { Client } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';

const here = await world();

/** A private repository of an organization that lets members fork it, and a reader who isn't a member. */
async function setting() {
  const [owner, reader] = [await here.user(), await here.user()];
  const org = await here.org(owner);
  const repo = await here.repo(org, { visibility: 'private', by: owner });
  const client = await here.as(owner);
  await client.patch(`/orgs/${org.login}`, {
    members_can_fork_private_repositories: true,
    default_repository_permission: 'none',
  });
  return { owner, reader, org, repo, client, path: `/repos/${org.login}/${repo.name}` };
}

type Setting = Awaited<ReturnType<typeof setting>>;

/** Forks it as somebody; the fork's path. */
async function fork({ path, repo }: Pick<Setting, 'path' | 'repo'>, who: Account): Promise<string> {
  const { status, body } = await (await here.as(who)).post(`${path}/forks`, {});
  expect([status, body.private]).toEqual([202, true]);
  await here.settle();
  return `/repos/${who.login}/${repo.name}`;
}

const statusOf = async (who: Account, path: string) => (await (await here.as(who)).get(path)).status;

type Loss = { grant(s: Setting): Promise<unknown>; take(s: Setting): Promise<unknown> };

const newTeam = async ({ client, org, reader, path }: Setting, parent?: number) => {
  const { body } = await client.post(`/orgs/${org.login}/teams`, {
    name: `readers-${org.id}`,
    privacy: 'closed',
    ...(parent && { parent_team_id: parent }),
  });
  await here.member(org, reader);
  await client.put(`/orgs/${org.login}/teams/${body.slug}/memberships/${reader.login}`, {});
  if (!parent) await client.put(`/orgs/${org.login}/teams/${body.slug}${path}`, { permission: 'pull' });
  return body;
};
const team = ({ org }: Setting) => `/orgs/${org.login}/teams/readers-${org.id}`;
const collaborate = ({ repo, reader }: Setting) => here.collaborator(repo, reader, 'read');

const losses: Record<string, Loss> = {
  'a collaborator is removed': {
    grant: collaborate,
    take: ({ client, path, reader }) => client.delete(`${path}/collaborators/${reader.login}`),
  },
  'an outside collaborator is removed from the organization': {
    grant: collaborate,
    take: ({ client, org, reader }) => client.delete(`/orgs/${org.login}/outside_collaborators/${reader.login}`),
  },
  'a member leaves the organization': {
    grant: newTeam,
    take: ({ client, org, reader }) => client.delete(`/orgs/${org.login}/members/${reader.login}`),
  },
  'somebody leaves a team': { grant: newTeam, take: (s) => s.client.delete(`${team(s)}/memberships/${s.reader.login}`) },
  'a team loses the repository': { grant: newTeam, take: (s) => s.client.delete(`${team(s)}${s.path}`) },
  'a team is deleted': { grant: newTeam, take: (s) => s.client.delete(team(s)) },
  'a team leaves the team from which it inherits': {
    async grant(s) {
      const { body } = await s.client.post(`/orgs/${s.org.login}/teams`, { name: `parents-${s.org.id}`, privacy: 'closed' });
      await s.client.put(`/orgs/${s.org.login}/teams/${body.slug}${s.path}`, { permission: 'pull' });
      await newTeam(s, body.id);
    },
    take: (s) => s.client.patch(team(s), { parent_team_id: null }),
  },
  'members can read repositories no longer': {
    async grant({ client, org, reader }) {
      await client.patch(`/orgs/${org.login}`, { default_repository_permission: 'read' });
      await here.member(org, reader);
    },
    take: ({ client, org }) => client.patch(`/orgs/${org.login}`, { default_repository_permission: 'none' }),
  },
  'the repository gets another owner': {
    grant: newTeam,
    take: ({ client, owner, path }) => client.post(`${path}/transfer`, { new_owner: owner.login }),
  },
};

const succeeded = ({ status }: Awaited<ReturnType<Client['get']>>) => expect(status).toBeLessThan(300);

test.each(Object.entries(losses))('a private fork goes when %s', async (_name, { grant, take }) => {
  const s = await setting();
  await grant(s);
  const path = await fork(s, s.reader);
  const { body } = await (await here.as(s.reader)).get(path);
  const gitRepository = repoOf(here.hearth.services.git, body.id).path;
  expect(existsSync(gitRepository)).toBe(true);
  succeeded((await take(s)) as never);
  await here.settle();
  expect(await statusOf(s.reader, path)).toBe(404);
  expect(existsSync(gitRepository)).toBe(false);
  expect(await here.db.selectFrom('repositories').select('id').where('id', '=', body.id).execute()).toEqual([]);
});

test('who still has access in another way, or has it again, keeps the fork', async () => {
  const s = await setting();
  await newTeam(s);
  await collaborate(s);
  const path = await fork(s, s.reader);
  succeeded(await s.client.delete(`${s.path}/collaborators/${s.reader.login}`));
  await here.settle();
  expect(await statusOf(s.reader, path)).toBe(200);
  succeeded(await s.client.delete(team(s)));
  await collaborate(s);
  await here.settle();
  expect(await statusOf(s.reader, path)).toBe(200);
  // As an outside collaborator a former member keeps what they had.
  succeeded(await s.client.put(`/orgs/${s.org.login}/outside_collaborators/${s.reader.login}`, {}));
  await here.settle();
  expect(await statusOf(s.reader, path)).toBe(200);
});

test('forks of public repositories stay, also when both become private', async () => {
  const s = await setting();
  await s.client.patch(s.path, { visibility: 'public' });
  const asReader = await here.as(s.reader);
  succeeded(await asReader.post(`${s.path}/forks`, {}));
  const path = `/repos/${s.reader.login}/${s.repo.name}`;
  succeeded(await s.client.patch(s.path, { visibility: 'private' }));
  succeeded(await asReader.patch(path, { visibility: 'private' }));
  await collaborate(s);
  succeeded(await s.client.delete(`${s.path}/collaborators/${s.reader.login}`));
  await here.settle();
  expect(await statusOf(s.reader, path)).toBe(200);
});

test('a fork of a fork stays where its owner has access to that, and goes with it otherwise', async () => {
  const s = await setting();
  const other = await here.user();
  await collaborate(s);
  const first = await fork(s, s.reader);
  const firstRow = await here.db
    .selectFrom('repositories')
    .selectAll()
    .where('owner_id', '=', s.reader.id)
    .executeTakeFirstOrThrow();
  await here.collaborator(firstRow, other, 'write');
  const second = await fork({ path: first, repo: s.repo }, other);
  await s.client.patch(`/orgs/${s.org.login}`, { default_repository_permission: 'none' });
  await here.settle();
  expect([await statusOf(s.reader, first), await statusOf(other, second)]).toEqual([200, 200]);
  succeeded(await s.client.delete(`${s.path}/collaborators/${s.reader.login}`));
  await here.settle();
  expect([await statusOf(s.reader, first), await statusOf(other, second)]).toEqual([404, 404]);
});

test('the webhooks of a fork hear that it is deleted', async () => {
  const s = await setting();
  await collaborate(s);
  const path = await fork(s, s.reader);
  const { body } = await (await here.as(s.reader)).get(path);
  succeeded(await s.client.delete(`${s.path}/collaborators/${s.reader.login}`));
  await here.settle();
  const events = await here.db
    .selectFrom('events')
    .select(['kind', 'data'])
    .where('repository_id', '=', body.id)
    .where('kind', '=', 'repository.deleted')
    .execute();
  expect(events).toMatchObject([{ data: { name: s.repo.name, was: { name: s.repo.name } } }]);
});
