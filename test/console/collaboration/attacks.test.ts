import { expect, test } from 'vitest';
import { reviewSetting } from '#test/resources/collaboration/reviews/setting.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const attack = '"><svg onload=alert(1)><script>alert(1)</script>';

test('texts of people run nothing, with and without scripts', async () => {
  const { ada, client, asBob, base, pull, number, commit, open, head } = await reviewSetting(w);
  const root = base.replace('/repos', '');
  await client.post(`${base}/labels`, { name: '"><img onerror=alert(1)>', color: 'd73a4a', description: attack });
  const { body: milestone } = await client.post(`${base}/milestones`, { title: attack, description: attack });
  const labels = ['"><img onerror=alert(1)>'];
  const texts = { title: attack, body: `${attack}\n\n[x](javascript:alert(1)) \`${attack}\`` };
  const { body: issue } = await client.post(`${base}/issues`, { ...texts, labels, milestone: milestone.number });
  await asBob.post(`${base}/issues/${issue.number}/comments`, { body: attack });
  await client.patch(`${base}/issues/${issue.number}`, { title: `${attack} 2` });
  await commit('"><img-src=x>', { 'x"><svg onload=alert(1)>.txt': '<script>alert(1)</script>\n' }, attack);
  const evil = await open('"><img-src=x>', texts);
  await client.patch(pull, texts);
  await asBob.post(`${pull}/reviews`, {
    comments: [{ path: 'engine.txt', line: 20, body: attack }],
    body: attack,
    event: 'COMMENT',
  });
  await client.post(`${base}/statuses/${head}`, { state: 'failure', context: attack, description: attack });
  await w.settle();
  const paths = [
    `${root}/issues`,
    `${root}/pulls`,
    `${root}/issues?q=${encodeURIComponent(attack)}`,
    `${root}/issues/${issue.number}`,
    `${root}/pull/${number}`,
    `${root}/pull/${evil}`,
    `${root}/pull/${number}/checks`,
    `${root}/milestones`,
    `${root}/milestone/${milestone.number}`,
    '/issues?filter=created',
    '/pulls',
  ];
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    tab.page.on('dialog', (dialog) => {
      tab.problems.push(`a script ran: ${dialog.message()}`);
      return dialog.dismiss();
    });
    for (const path of paths) {
      await visit(tab, path);
      expect(await tab.page.locator('main script, svg[onload], [onerror]').count(), path).toBe(0);
    }
    expect(tab.problems).toEqual([]);
  }
}, 60_000);

test('nothing is wrong for screen readers', async () => {
  const { ada, client, asBob, base, pull, number, head } = await reviewSetting(w);
  const root = base.replace('/repos', '');
  await client.post(`${base}/milestones`, { title: 'First' });
  await client.post(`${base}/issues`, {
    title: 'It leaks',
    body: '- [ ] mend',
    labels: ['oil'],
    milestone: 1,
    assignees: [ada.login],
  });
  await asBob.post(`${pull}/reviews`, {
    comments: [{ path: 'engine.txt', line: 20, body: 'Why?' }],
    body: 'No.',
    event: 'COMMENT',
  });
  await client.post(`${base}/statuses/${head}`, { state: 'failure', context: 'build', description: 'Broke' });
  const tab = await openTab(w, ada);
  for (const path of ['issues', 'issues/2', `pull/${number}`, `pull/${number}/checks`, 'milestone/1']) {
    await visit(tab, `${root}/${path}`);
    await expectAccessible(tab);
  }
}, 60_000);

test('a reader goes from the list to an issue and back by a label, without scripts', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  await client.post(`${base}/issues`, { title: 'It leaks', labels: ['oil'] });
  await client.post(`${base}/issues`, { title: 'It is loud' });
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, undefined, { javaScriptEnabled, viewport: { width: 360, height: 700 } });
    const { page } = tab;
    await visit(tab, `/${ada.login}/${repo.name}/issues`);
    await page.getByRole('link', { name: 'It leaks' }).click();
    await page.getByRole('heading', { level: 1, name: 'It leaks' }).waitFor();
    await page.getByRole('complementary').getByRole('link', { name: 'oil' }).click();
    await page.getByRole('searchbox', { name: 'Search issues' }).waitFor();
    expect(await page.getByText('It is loud').count()).toBe(0);
    await page.getByText('Sort').click();
    await page.getByRole('link', { name: 'Oldest' }).click();
    await page.getByRole('link', { name: 'It leaks' }).waitFor();
    expect(page.url()).toContain('sort%3Acreated-asc');
    // A string, since the page's own types aren't those of the tests.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(tab.problems).toEqual([]);
  }
});
