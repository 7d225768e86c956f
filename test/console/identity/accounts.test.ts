import { expect, test } from 'vitest';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const attack = '<script>alert(1)</script><img src=x onerror=alert(1)>';
/** What such a text would be, had it not been escaped. */
const raw = '<script>alert(1)';
const markdown = (text: string) => Buffer.from(text).toString('base64');

test('visitors see what this server is and its public repositories, the latest push first', async () => {
  const ada = await w.user();
  const [older, newer, hidden] = [await w.repo(ada), await w.repo(ada), await w.repo(ada, { visibility: 'private' })];
  const push = (id: number, at: string) =>
    w.db
      .updateTable('repositories')
      .set({ pushed_at: new Date(at) })
      .where('id', '=', id as never)
      .execute();
  await push(older.id, '2025-01-01T00:00:00Z');
  await push(newer.id, '2025-02-01T00:00:00Z');
  await push(hidden.id, '2025-03-01T00:00:00Z');

  const { status, text } = await (await pagesAs(w)).get('/');

  expect(status).toBe(200);
  expect(text).toContain('href="/login"');
  expect(text).not.toContain(hidden.name);
  expect(text.indexOf(newer.name)).toBeGreaterThan(0);
  expect(text.indexOf(newer.name)).toBeLessThan(text.indexOf(older.name));
});

test('people see what waits for them', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada);
  await w.collaborator(repo, bob, 'write');
  const api = await w.as(ada);
  const path = `/repos/${ada.login}/${repo.name}`;
  await api.put(`${path}/contents/a.md`, { message: 'a', content: markdown('a') });
  const main = await api.get(`${path}/git/ref/heads/main`);
  await api.post(`${path}/git/refs`, { ref: 'refs/heads/topic', sha: main.body.object.sha });
  await api.put(`${path}/contents/b.md`, { message: 'b', content: markdown('b'), branch: 'topic' });
  await api.post(`${path}/pulls`, { title: `Pull ${attack}`, head: 'topic', base: 'main' });
  await api.post(`${path}/pulls/1/requested_reviewers`, { reviewers: [bob.login] });
  await api.post(`${path}/issues`, { title: 'It leaks', assignees: [ada.login] });
  await w.settle();

  const own = await (await pagesAs(w, ada)).get('/');
  expect(own.text).toContain(`href="/${ada.login}/${repo.name}/pull/1"`);
  expect(own.text).toContain(`href="/${ada.login}/${repo.name}/issues/2"`);
  expect(own.text).not.toContain(raw);
  const waiting = await (await pagesAs(w, bob)).get('/');
  const [, reviews = ''] = waiting.text.split('Waiting for your review');
  expect(reviews.slice(0, reviews.indexOf('Your pull requests'))).toContain('/pull/1');
  expect(waiting.text).toContain('href="/notifications"');

  const before = await (await pagesAs(w, ada)).statements('/');
  for (let number = 0; number < 9; number++)
    await api.post(`${path}/issues`, { title: `More ${number}`, assignees: [ada.login] });
  for (let number = 0; number < 7; number++) await w.repo(ada);
  await w.settle();
  expect(await (await pagesAs(w, ada)).statements('/')).toBe(before);
});

test('people without anything are shown what to do', async () => {
  const { text } = await (await pagesAs(w, await w.user())).get('/');
  expect(text).toContain('gh repo create');
  expect(text).toContain('will be listed here');
});

test('a person’s page shows the profile, the README and the repositories that one may see', async () => {
  const ada = await w.user(fresh('ada'), {
    name: `Ada ${attack}`,
    bio: attack,
    company: attack,
    location: attack,
    blog: 'javascript:alert(1)',
  });
  const shown = await w.repo(ada, { name: fresh('shown') });
  const hidden = await w.repo(ada, { name: fresh('hidden'), visibility: 'private' });
  await w.repo(ada, { name: ada.login });
  const api = await w.as(ada);
  await api.patch(`/repos/${ada.login}/${shown.name}`, { description: attack });
  await api.put(`/repos/${ada.login}/${ada.login}/contents/README.md`, {
    message: 'r',
    content: markdown('# I build *engines*'),
  });

  const { text } = await (await pagesAs(w)).get(`/${ada.login}`);

  expect(text).toContain('<em>engines</em>');
  expect(text).toContain(shown.name);
  expect(text).not.toContain(hidden.name);
  expect(text).not.toContain(raw);
  expect(text).not.toContain('href="javascript:');
  expect((await (await pagesAs(w, ada)).get(`/${ada.login}`)).text).toContain(hidden.name);
  const pages = await pagesAs(w);
  const before = await pages.statements(`/${ada.login}?tab=repositories`);
  for (let number = 0; number < 5; number++) await w.repo(ada);
  expect(await pages.statements(`/${ada.login}?tab=repositories`)).toBe(before);
});

test('a README that was renamed away leads nowhere', async () => {
  const ada = await w.user(fresh('ada'));
  await w.repo(ada, { name: ada.login });
  await (await w.as(ada)).patch(`/repos/${ada.login}/${ada.login}`, { name: 'notes' });
  expect((await (await pagesAs(w)).get(`/${ada.login}`)).status).toBe(200);
});

test('repositories are filtered by words, type and order', async () => {
  const ada = await w.user();
  const [engine, boat] = [await w.repo(ada, { name: fresh('engine') }), await w.repo(ada, { name: fresh('boat') })];
  await w.settle();
  const pages = await pagesAs(w);
  const found = await pages.get(`/${ada.login}?tab=repositories&q=engine&type=&language=&sort=`);
  expect(found.text).toContain(`href="/${ada.login}/${engine.name}"`);
  expect(found.text).not.toContain(`href="/${ada.login}/${boat.name}"`);
  expect((await pages.get(`/${ada.login}?tab=repositories&q=${encodeURIComponent('user:other "')}`)).status).toBe(200);
  expect((await pages.get(`/${ada.login}?tab=repositories&sort=wrong&type=wrong`)).text).toContain(boat.name);
  for (const tab of ['stars', 'followers', 'following']) expect((await pages.get(`/${ada.login}?tab=${tab}`)).status).toBe(200);
});

test('an organization shows outsiders its public people, and members its teams', async () => {
  const [owner, member, eve] = [await w.user(), await w.user(), await w.user()];
  const org = await w.org(owner);
  await w.member(org, member);
  const api = await w.as(owner);
  await api.put(`/orgs/${org.login}/public_members/${owner.login}`);
  await api.post(`/orgs/${org.login}/teams`, { name: `Parents ${attack}`, description: attack, privacy: 'closed' });
  const { body: parent } = await api.get(`/orgs/${org.login}/teams`).then(({ body }) => ({ body: body[0] }));
  const { body: child } = await api.post(`/orgs/${org.login}/teams`, {
    name: 'Children',
    privacy: 'closed',
    parent_team_id: parent.id,
  });
  const [outside, inside] = [await pagesAs(w, eve), await pagesAs(w, member)];

  const people = await outside.get(`/orgs/${org.login}/people`);
  expect(people.text).toContain(owner.login);
  expect(people.text).not.toContain(member.login);
  expect((await inside.get(`/orgs/${org.login}/people`)).text).toContain(member.login);
  expect((await outside.get(`/orgs/${org.login}/teams`)).status).toBe(404);
  expect((await outside.get(`/${org.login}`)).text).not.toContain(`/orgs/${org.login}/teams`);
  const teams = await inside.get(`/orgs/${org.login}/teams`);
  expect(teams.text).toContain(`/orgs/${org.login}/teams/${child.slug}`);
  expect(teams.text).not.toContain(raw);
  const team = await inside.get(`/orgs/${org.login}/teams/${parent.slug}`);
  expect(team.text).toContain('Children');
  expect(team.text).not.toContain(raw);
  expect((await outside.get(`/orgs/${org.login}/teams/${parent.slug}`)).status).toBe(404);
  expect((await outside.get(`/orgs/${org.login}`)).headers.get('location')).toBe(`/${org.login}`);
  expect((await outside.get(`/orgs/${eve.login}/people`)).status).toBe(404);
  expect((await outside.get(`/orgs/${org.login}/repositories`)).status).toBe(200);
});

test('these pages are read in a browser, with and without scripts', async () => {
  const ada = await w.user();
  const org = await w.org(ada);
  await w.repo(ada);
  await w.repo(org, { by: ada });
  await (await w.as(ada)).post(`/orgs/${org.login}/teams`, { name: 'Engines' });
  const paths = [
    '/',
    '/shortcuts',
    `/${ada.login}`,
    `/${ada.login}?tab=repositories`,
    `/${org.login}`,
    `/orgs/${org.login}/people`,
    `/orgs/${org.login}/teams`,
    `/orgs/${org.login}/teams/engines`,
  ];
  const audited = ['/', '/shortcuts', `/${ada.login}?tab=repositories`, `/orgs/${org.login}/teams/engines`];
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    for (const path of paths) {
      await visit(tab, path);
      if (javaScriptEnabled && audited.includes(path)) await expectAccessible(tab);
    }
  }
  const tab = await openTab(w, ada, { viewport: { width: 320, height: 640 } });
  for (const path of paths) {
    await visit(tab, path);
    const width = await tab.page.evaluate('document.documentElement.scrollWidth');
    expect(width, path).toBeLessThanOrEqual(320);
  }
});
