import { test } from 'vitest';
import { openTab, visit } from '#test/support/browser.ts';
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
