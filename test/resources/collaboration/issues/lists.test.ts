// What lists of issues leave out: by fields, types, pull requests, and by what a repository is to the viewer.

import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { issueListLimits } from '#resources/collaboration/issues/limits.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { setting } from './field-values/setting.ts';

const w = await world();
const { as, user, org, member, repo, collaborator, statements } = w;

const titles = async (who: Account | undefined, path: string): Promise<string[]> =>
  (await (await as(who)).get(path)).body.map(({ title }: { title: string }) => title).toSorted();

test('all issues of somebody are those of own repositories, of organizations, and of repositories to collaborate in', async () => {
  const [ada, bob] = [await user(), await user()];
  const acme = await org(bob);
  await member(acme, ada);
  const [own, ofOrganization, ofBob] = [await repo(ada), await repo(acme, { by: bob }), await repo(bob)];
  await collaborator(ofBob, ada, 'write');
  const both = await repo(acme, { by: bob });
  await collaborator(both, ada, 'write');
  const places = { own: [ada, own], org: [acme, ofOrganization], collab: [bob, ofBob], both: [acme, both] } as const;
  for (const [title, [owner, { name }]] of Object.entries(places))
    await (await as(ada)).post(`/repos/${owner.login}/${name}/issues`, { title });
  const list = (query: string) => titles(ada, `/issues?filter=created${query}`);
  const all = ['both', 'collab', 'org', 'own'];
  expect(await list('')).toEqual(all);
  expect(await list('&owned=true')).toEqual(['own']);
  expect(await list('&orgs=true')).toEqual(['both', 'org']);
  expect(await list('&collab=true')).toEqual(['both', 'collab']);
  expect(await list('&owned=true&orgs=true')).toEqual(['both', 'org', 'own']);
  expect(await list('&orgs=true&collab=false')).toEqual(['org']);
  expect(await list('&owned=false')).toEqual(['both', 'collab', 'org']);
  expect(await list('&owned=false&orgs=false&collab=false')).toEqual([]);
  expect(await statements(ada, '/issues?filter=created&owned=true')).toBe(
    await statements(ada, '/issues?filter=created&owned=true&orgs=true&collab=false&pulls=false'),
  );
  expect((await (await as(ada)).get('/issues?owned=perhaps')).status).toBe(422);
});

test('pull requests are among the issues, unless somebody wants none', async () => {
  const { ada, client, base, commit, open } = await pullSetting(w);
  await client.post(`${base}/issues`, { title: 'It stalls' });
  await commit('fix', { 'a.txt': '1\n' });
  await open('fix');
  expect(await titles(ada, '/issues?filter=created')).toEqual(['It stalls', 'Merge fix']);
  expect(await titles(ada, '/issues?filter=created&pulls=true')).toEqual(['It stalls', 'Merge fix']);
  expect(await titles(ada, '/issues?filter=created&pulls=false')).toEqual(['It stalls']);
});

test('no issue has a type', async () => {
  const ada = await user();
  const acme = await org(ada);
  const path = `/repos/${acme.login}/${(await repo(acme, { by: ada })).name}/issues`;
  await (await as(ada)).post(path, { title: 'It stalls' });
  for (const list of [`${path}?`, `/orgs/${acme.login}/issues?filter=all&`]) {
    expect(await titles(ada, `${list}type=none`)).toEqual(['It stalls']);
    expect(await titles(ada, `${list}type=*`)).toEqual([]);
    expect(await titles(ada, `${list}type=Bug`)).toEqual([]);
  }
});

test('issues are listed by the values of their fields, as far as the viewer sees these', async () => {
  const { owner, member: colleague, outsider, place, fields, client, set } = await setting(w);
  await set(
    [fields.priority, 'High'],
    [fields.areas, ['Low', 'Medium']],
    [fields.note, 'a: b'],
    [fields.secret, 'x'],
    [fields.effort, 3],
  );
  const { priority, effort } = fields;
  const more = [
    { field_id: priority.id, value: 'Low' },
    { field_id: effort.id, value: 5 },
  ];
  await client.post(`${place}/issues`, { title: 'It leaks', issue_field_values: more });
  await client.post(`${place}/issues`, { title: 'It rests' });
  const path = `${place}/issues?issue_field_values=`;
  const list = (values: string, who: Account | undefined = owner) => titles(who, `${path}${encodeURIComponent(values)}`);
  expect(await list('')).toEqual(['It leaks', 'It rests', 'It stalls']);
  expect(await list('priority:High')).toEqual(['It stalls']);
  expect(await list('Priority:low')).toEqual(['It leaks']);
  expect(await list('areas:Low, areas:medium , effort:3')).toEqual(['It stalls']);
  expect(await list('priority:High,effort:5')).toEqual([]);
  expect(await list('effort:>=3')).toEqual(['It leaks', 'It stalls']);
  expect(await list('note:a: b')).toEqual(['It stalls']);
  expect(await list('missing:High')).toEqual([]);
  expect(await list('secret:x', colleague)).toEqual(['It stalls']);
  expect([await list('secret:x', outsider), await titles(undefined, `${path}secret:x`)]).toEqual([[], []]);
  expect(await titles(outsider, `${path}priority:High`)).toEqual(['It stalls']);
  expect(await statements(owner, `${path}priority:High,effort:3`)).toBe(await statements(owner, `${path}effort:>=3`));
});

test('what says nothing of a field is refused, and so are more fields than a list may ask for', async () => {
  const { place, client } = await setting(w);
  const refused = async (values: string) => {
    const { status, body } = await client.get(`${place}/issues?issue_field_values=${values}`);
    return [status, body.errors?.[0].field];
  };
  for (const wrong of ['priority', 'priority:', ':High', 'priority:High,x'])
    expect([wrong, ...(await refused(wrong))]).toEqual([wrong, 422, 'issue_field_values']);
  const values = Array.from({ length: issueListLimits.fields.value + 1 }, (_, at) => `f${at}:1`);
  expect(await refused(values.join())).toEqual([422, 'issue_field_values']);
  expect(await refused(values.slice(1).join())).toEqual([200, undefined]);
});

test('fields of another organization that has the same names are others', async () => {
  const [here, there] = [await setting(w), await setting(w)];
  await here.set([here.fields.note, 'same']);
  expect(await titles(there.owner, `${there.place}/issues?issue_field_values=note:same`)).toEqual([]);
  expect(await titles(here.owner, `${here.place}/issues?issue_field_values=note:same`)).toEqual(['It stalls']);
});
