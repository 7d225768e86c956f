import { expect, test } from 'vitest';
import { makeStage } from '#test/resources/platform/notifications/stage.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('an inbox shows one’s own threads, with the reason in words and a link to the subject', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const stage = await makeStage(w, ada, 'public');
  await stage.open(bob, { title: '<script>alert(1)</script> leaks' });
  const { text } = await (await pagesAs(w, ada)).get('/notifications');
  expect(text).toContain(`href="/${ada.login}/${stage.repo.name}/issues/1"`);
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; leaks');
  expect(text).not.toContain('<script>alert');
  expect(text).toContain('you watch the repository');
  expect((await (await pagesAs(w, bob)).get('/notifications')).text).toContain('You have read everything.');
});

test('what was read is among all, and one repository can be looked at alone', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const [one, other] = [await makeStage(w, ada), await makeStage(w, ada)];
  await one.open(bob, { title: 'In the one' });
  await other.open(bob, { title: 'In the other' });
  const pages = await pagesAs(w, ada);
  const alone = await pages.get(`/notifications?repository=${ada.login}/${one.repo.name}`);
  expect(alone.text).toContain('In the one');
  expect(alone.text).not.toContain('In the other');
  await (await w.as(ada)).put('/notifications', {});
  expect((await pages.get('/notifications')).text).toContain('You have read everything.');
  expect((await pages.get('/notifications?all=1')).text).toContain('In the other');
  expect((await pages.get(`/notifications?repository=${ada.login}/absent`)).status).toBe(404);
});

test('visitors are led to sign in', async () => {
  const { status, headers } = await (await pagesAs(w)).get('/notifications');
  expect([status, headers.get('location')]).toEqual([302, '/login?return_to=%2Fnotifications']);
});

test('thirty threads take as many statements as one', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const stage = await makeStage(w, ada);
  const pages = await pagesAs(w, ada);
  await stage.open(bob);
  const one = await pages.statements('/notifications');
  const client = await w.as(bob);
  for (let at = 0; at < 29; at++) await client.post(`${stage.base}/issues`, { title: `Leak ${at}` });
  await w.settle();
  expect((await pages.get('/notifications')).text.match(/class="unread"/g)).toHaveLength(30);
  expect(await pages.statements('/notifications')).toBe(one);
  expect(one).toBeLessThanOrEqual(8);
});

test('people read their inbox in a browser, with and without scripts', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const stage = await makeStage(w, ada);
  await stage.open(bob, { title: 'The pump leaks' });
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    await visit(tab, '/notifications');
    if (javaScriptEnabled) await expectAccessible(tab);
    await tab.page.getByRole('link', { name: 'The pump leaks' }).click();
    await tab.page.getByRole('heading', { name: 'The pump leaks' }).waitFor();
    expect(tab.problems).toEqual([]);
  }
});
