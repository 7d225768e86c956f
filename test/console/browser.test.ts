import { test } from 'vitest';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('a real browser shows pages, with and without scripts', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'private' });
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    await visit(tab, `/${ada.login}/${repo.name}`);
    await tab.page.getByRole('navigation', { name: 'Repository' }).getByText('Issues').waitFor();
  }
});

test('nothing is found against accessibility', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  await (await w.as(ada)).post(`/repos/${ada.login}/${repo.name}/issues`, { title: 'It leaks', body: 'See #1.' });
  const tab = await openTab(w, ada);
  for (const path of ['/', `/${ada.login}/${repo.name}`, `/${ada.login}/${repo.name}/issues/1`]) {
    await visit(tab, path);
    await expectAccessible(tab);
  }
});
