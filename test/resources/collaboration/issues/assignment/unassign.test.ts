import { expect, test } from 'vitest';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';

const { here, owner, org: acme, client, target } = await listening();
const { user, member, repo, collaborator, settle } = here;

test('whoever loses their role is assigned no longer', async () => {
  const [colleague, guest] = [await user(), await user()];
  await member(acme, colleague);
  const engine = await repo(acme, { by: owner, visibility: 'private' });
  await collaborator(engine, guest, 'triage');
  const path = `/repos/${acme.login}/${engine.name}`;
  await client.post(`${path}/issues`, { title: 'x', assignees: [owner.login, colleague.login, guest.login] });
  const assigned = async () => (await client.get(`${path}/issues/1`)).body.assignees.map(({ login }: { login: string }) => login);
  expect(await assigned()).toHaveLength(3);
  const found = async (login: string) => (await client.get(`/search/issues?q=assignee:${login}`)).body.total_count;
  await heard(here, target);
  expect(await found(guest.login)).toBe(1);
  await client.delete(`${path}/collaborators/${guest.login}`);
  const told = await heard(here, target);
  expect(told['issues.unassigned']).toMatchObject({ assignee: { login: guest.login }, issue: { number: 1 } });
  expect(await assigned()).toEqual([owner.login, colleague.login]);
  expect(await found(guest.login)).toBe(0);
  await client.delete(`/orgs/${acme.login}/members/${colleague.login}`);
  await settle();
  expect(await assigned()).toEqual([owner.login]);
  const { body } = await client.get(`${path}/issues/1/events`);
  expect(body.filter(({ event }: { event: string }) => event === 'unassigned')).toHaveLength(2);
});
