// What texts say of pull requests leads to these, for those who may read them.
import { expect, test } from 'vitest';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('a number in a rendered text leads to the page of the pull request, and that refers to the issue', async () => {
  const { client, base, commit, open, ada, repo } = await pullSetting(w);
  const { body: issue } = await client.post(`${base}/issues`, { title: 'The pump leaks' });
  await commit('seal', { 'seal.txt': 's\n' });
  const number = await open('seal', { body: `Seals the pump of #${issue.number}` });
  const html = { headers: { accept: 'application/vnd.service.html+json' } };
  const { body: comment } = await client.post(`${base}/issues/${issue.number}/comments`, {
    body: `See #${number}, not #${issue.number}`,
  });
  const { body } = await client.get(`${base}/issues/comments/${comment.id}`, html);
  expect(body.body_html).toContain(`href="${w.url}/${ada.login}/${repo.name}/pull/${number}"`);
  expect(body.body_html).toContain(`href="${w.url}/${ada.login}/${repo.name}/issues/${issue.number}"`);
  const { body: timeline } = await client.get(`${base}/issues/${issue.number}/timeline`);
  const [reference] = timeline.filter(({ event }: { event: string }) => event === 'cross-referenced');
  expect(reference.source.issue).toMatchObject({ number, pull_request: { url: `${w.url}/api/v3${base}/pulls/${number}` } });
});

test('where issues are switched off, pull requests are referred to all the same', async () => {
  const { client, base, commit, open } = await pullSetting(w);
  await client.patch(base, { has_issues: false });
  await commit('one', { 'a.txt': 'a\n' });
  await commit('two', { 'b.txt': 'b\n' });
  const first = await open('one');
  const second = await open('two', { body: `After #${first}` });
  const html = { headers: { accept: 'application/vnd.service.html+json' } };
  expect((await client.get(`${base}/issues/${second}`, html)).body.body_html).toContain(`/pull/${first}"`);
  const { body: timeline } = await client.get(`${base}/issues/${first}/timeline`);
  const references = timeline.filter(({ event }: { event: string }) => event === 'cross-referenced');
  expect(references).toMatchObject([{ source: { issue: { number: second } } }]);
});

test('a cross-reference from a pull request of another, private repository needs the permission to read pull requests there', async () => {
  const open = await pullSetting(w);
  const { body: issue } = await open.client.post(`${open.base}/issues`, { title: 'In public' });
  const hidden = await pullSetting(w, { visibility: 'private' as 'public' });
  await hidden.commit('one', { 'a.txt': 'a\n' });
  await hidden.open('one', { body: `For ${open.ada.login}/${open.repo.name}#${issue.number}` });
  const timeline = async (token: string) => (await (await w.as(token)).get(`${open.base}/issues/${issue.number}/timeline`)).body;
  const tokenWith = (permissions: Record<string, string>) =>
    w.fineGrained(hidden.ada, hidden.ada, { metadata: 'read', ...permissions });
  expect(await timeline(await tokenWith({ pull_requests: 'read' }))).toMatchObject([{ event: 'cross-referenced' }]);
  expect(await timeline(await tokenWith({ issues: 'read' }))).toEqual([]);
  expect(await timeline(await w.token(open.ada))).toEqual([]);
});
