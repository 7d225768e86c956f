import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { presentFullTeams, setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import { installApp } from '#test/support/apps.ts';
import { scopeIn } from '#test/support/scope.ts';
import { world } from '#test/support/world.ts';
import { chain, team } from './setting.ts';

const slugs = (reply: { body: { slug: string }[] }) => reply.body.map((row) => row.slug);

test('one lists one’s own teams, whole', async () => {
  const w = await world();
  const owner = await w.user();
  const org = await w.org(owner);
  const actor = { by: owner.id, now: w.clock.now };
  const [top, below] = await chain(w, org, 2);
  if (!top || !below) throw new Error('the teams were not made');
  await team(w, org);
  const repository = await w.repo(org, { by: owner });
  await w.change((scope) => setTeamMember(scope, { ...actor, team: below, user: owner, role: 'maintainer' }));
  await w.change((scope) => setTeamRole(scope, { ...actor, team: top, repository, role: 'write' }));

  const reply = await (await w.as(owner)).get('/user/teams');

  expect(reply).toMatchObject({
    status: 200,
    body: [
      {
        slug: below.slug,
        members_count: 1,
        repos_count: 1,
        parent: { id: top.id, slug: top.slug },
        organization: { login: org.login, public_repos: 1 },
        html_url: `${w.url}/orgs/${org.login}/teams/${below.slug}`,
      },
    ],
  });
});

test('a credential lists the teams of the organizations that it reaches', async () => {
  const w = await world();
  const user = await w.user();
  const [here, there] = [await w.org(user), await w.org(user)];
  const [one, other] = [await team(w, here), await team(w, there)];
  for (const joined of [one, other])
    await w.change((scope) => setTeamMember(scope, { team: joined, user, role: 'member', by: user.id, now: w.clock.now }));
  const app = await installApp(w, { on: here, permissions: { members: 'read' } });
  const list = async (token: string | undefined) => (await w.as(token)).get('/user/teams');

  expect(slugs(await list(await w.token(user, ['read:org'])))).toEqual([one.slug, other.slug]);
  expect(slugs(await list(await w.fineGrained(user, there, { members: 'read' })))).toEqual([other.slug]);
  expect(slugs(await list(await app.userToken(user)))).toEqual([one.slug]);
  expect((await list(await w.token(user, ['gist']))).status).toBe(403);
  expect((await list(await w.fineGrained(user, there, { organization_plan: 'read' }))).status).toBe(403);
  expect((await list(app.token)).status).toBe(403);
  expect((await list(undefined)).status).toBe(401);
});

test('whole teams cost as many statements for 1 as for 100', async () => {
  const w = await world();
  const org = await w.org(await w.user());
  const teams = await chain(w, org, 2);
  for (let i = 2; i < 100; i++) teams.push(await team(w, org));
  const statements = (rows: typeof teams) => countStatements(() => presentFullTeams(scopeIn(w), rows));

  const [one, all] = [await statements(teams.slice(1, 2)), await statements(teams)];
  expect([one.result.length, all.result.length]).toEqual([1, 100]);
  expect([one.statements.length, all.statements.length]).toEqual([3, 3]);
});
