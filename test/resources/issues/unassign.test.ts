import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, org, member, repo, collaborator, settle } = await world();

test('whoever loses their role is assigned no longer', async () => {
  const [owner, colleague, guest] = [await user(), await user(), await user()];
  const acme = await org(owner);
  await member(acme, colleague);
  const engine = await repo(acme, { by: owner, visibility: 'private' });
  await collaborator(engine, guest, 'triage');
  const client = await as(owner);
  const path = `/repos/${acme.login}/${engine.name}`;
  await client.post(`${path}/issues`, { title: 'x', assignees: [owner.login, colleague.login, guest.login] });
  const assigned = async () => (await client.get(`${path}/issues/1`)).body.assignees.map(({ login }: { login: string }) => login);
  expect(await assigned()).toHaveLength(3);
  await client.delete(`${path}/collaborators/${guest.login}`);
  await settle();
  expect(await assigned()).toEqual([owner.login, colleague.login]);
  await client.delete(`/orgs/${acme.login}/members/${colleague.login}`);
  await settle();
  expect(await assigned()).toEqual([owner.login]);
  const { body } = await client.get(`${path}/issues/1/events`);
  expect(body.filter(({ event }: { event: string }) => event === 'unassigned')).toHaveLength(2);
});
