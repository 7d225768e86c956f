import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { commitFiles } from '#test/support/commit.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const attack = '<img src=x onerror=alert(1)>';
const escaped = '&lt;img src=x onerror=alert(1)&gt;';

async function setting(more: object = {}) {
  const owner = await w.user();
  const repo = await w.repo(owner, { name: fresh('engine'), ...more });
  return { owner, repo, base: `/${owner.login}/${repo.name}`, pages: await pagesAs(w, owner) };
}

test('people who star and watch a repository are listed, in as many statements for thirty as for one', async () => {
  const { base, pages, owner, repo } = await setting();
  const star = async () => (await w.as(await w.user())).put(`/user/starred/${owner.login}/${repo.name}`);
  await star();
  const one = await pages.statements(`${base}/stargazers`);
  await Promise.all(Array.from({ length: 11 }, star));
  expect(await pages.statements(`${base}/stargazers`)).toBe(one);
  expect(one).toBeLessThanOrEqual(8);
  expect((await pages.get(`${base}/stargazers`)).text.match(/starred it/g)).toHaveLength(12);
  expect((await pages.get(`${base}/watchers`)).status).toBe(200);
});

test('forks that the viewer may see are listed', async () => {
  const { base, pages, owner, repo } = await setting();
  const [bob, eve] = [await w.user(), await w.user()];
  await commitFiles(w, repo, { 'a.txt': 'a' }, 'Begin');
  expect((await pages.get(`${base}/forks`)).text).toContain('will be listed here');
  await (await w.as(bob)).post(`/repos/${owner.login}/${repo.name}/forks`, { name: 'my-fork' });
  await w.settle();
  expect((await (await pagesAs(w, eve)).get(`${base}/forks`)).text).toContain(`${bob.login}/my-fork`);
  expect((await (await pagesAs(w, eve)).get(`/${bob.login}/my-fork/forks`)).text).toMatch(
    new RegExp(`fork of <a\\s+href="${base}">`),
  );
});

test('contributors have bars by the number of their commits, and names are escaped', async () => {
  const { base, pages, repo } = await setting();
  expect((await pages.get(`${base}/graphs/contributors`)).text).toContain('will be listed here');
  await commitFiles(w, repo, { 'a.txt': 'a' }, 'Begin');
  const { text } = await pages.get(`${base}/graphs/contributors`);
  expect(text).toContain('1 commit<');
  expect(text).toContain('<svg class="bars"');
});

test('dependencies are listed and filtered', async () => {
  const { base, pages, owner, repo } = await setting();
  expect((await pages.get(`${base}/network/dependencies`)).text).toContain('The dependency graph is off');
  await (await w.as(owner)).put(`/repos/${owner.login}/${repo.name}/vulnerability-alerts`);
  const lock = {
    lockfileVersion: 3,
    packages: { 'node_modules/left': { version: '1.1.0' }, 'node_modules/right': { version: '2.0.0' } },
  };
  await (await w.as(owner)).put(`/repos/${owner.login}/${repo.name}/contents/package-lock.json`, {
    message: 'Depend',
    content: Buffer.from(JSON.stringify(lock)).toString('base64'),
  });
  await w.settle();
  const all = await pages.get(`${base}/network/dependencies`);
  expect(all.text).toContain('left');
  expect(all.text).toContain('2 dependencies');
  const some = await pages.get(`${base}/network/dependencies?name=righ`);
  expect(some.text).not.toContain('>left<');
  expect(some.text).toContain('1 dependency');
  const none = await pages.get(`${base}/network/dependencies?name=${encodeURIComponent(attack)}`);
  expect(none.text).toContain(escaped);
  expect(none.text).not.toContain(attack);
});

test('the community page says what is there and what is missing', async () => {
  const { base, pages, repo } = await setting();
  await commitFiles(w, repo, { 'README.md': '# Engine' }, 'Begin');
  const { text } = await pages.get(`${base}/community`);
  expect(text).toContain(`href="${base}/blob/${repo.default_branch}/README.md"`);
  expect(text).toContain('missing: how to take part');
});

test('rulesets are shown at the addresses that replies have', async () => {
  const { base, pages, owner, repo } = await setting();
  const { body: ruleset } = await (await w.as(owner)).post(`/repos/${owner.login}/${repo.name}/rulesets`, {
    name: `Kept ${attack}`,
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: ['refs/heads/<b>'] } },
    rules: [{ type: 'deletion' }, { type: 'commit_message_pattern', parameters: { operator: 'contains', pattern: attack } }],
  });
  expect((await pages.get(`${base}/rules`)).text).toContain(`Kept ${escaped}`);
  const { text } = await pages.get(new URL(ruleset._links.html.href).pathname);
  expect(text).toMatch(/commit message/i);
  expect(text).toContain(escaped);
  expect(text).not.toContain(attack);
  expect(text).not.toContain('refs/heads/<b>');
});

test('an invitation is shown to the person who is invited, and to administrators alone', async () => {
  const { base, pages, owner, repo } = await setting({ visibility: 'private' });
  const [bob, eve] = [await w.user(), await w.user()];
  await (await w.as(owner)).put(`/repos/${owner.login}/${repo.name}/collaborators/${bob.login}`, { permission: 'push' });
  expect((await pages.get(`${base}/invitations`)).text).toContain(bob.login);
  expect((await (await pagesAs(w, bob)).get(`${base}/invitations`)).text).toContain(
    `${owner.login} invites you to ${base.slice(1)}`,
  );
  expect((await (await pagesAs(w, eve)).get(`${base}/invitations`)).status).toBe(404);
  expect((await (await pagesAs(w, eve)).get('/nobody/nothing/invitations')).status).toBe(404);
});

test('an app is shown with what it asks for; a private one to its owner alone', async () => {
  const owner = await w.user();
  const { bot } = await installApp(w, { on: owner, permissions: { metadata: 'read', issues: 'write' } });
  const path = `/apps/${bot.login.replace('[bot]', '')}`;
  expect((await (await pagesAs(w)).get(path)).status).toBe(404);
  const { status, text } = await (await pagesAs(w, owner)).get(path);
  expect(status).toBe(200);
  expect(text).toContain('issues: read and write');
});

test('these pages are accessible, and work without scripts', async () => {
  const { base, owner, repo } = await setting();
  await commitFiles(w, repo, { 'README.md': '# Engine' }, 'Begin');
  const tab = await openTab(w, owner);
  for (const path of ['graphs/contributors', 'network/dependencies', 'community']) {
    await visit(tab, `${base}/${path}`);
    await expectAccessible(tab);
  }
  const plain = await openTab(w, owner, { javaScriptEnabled: false });
  await visit(plain, `${base}/graphs/contributors`);
  await plain.page.getByRole('link', { name: 'Forks' }).click();
  await plain.page.getByRole('heading', { name: 'Forks' }).waitFor();
  expect(plain.problems).toEqual([]);
});
