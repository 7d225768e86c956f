import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { commitFiles } from '#test/support/commit.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const [ada, eve] = [await w.user(), await w.user()];
const hidden = await w.repo(ada, { visibility: 'private', name: fresh('boiler') });
const open = await w.repo(ada, { name: fresh('boiler') });
await commitFiles(w, open, { 'a.txt': 'a' }, 'Begin');

const asked = async (who: Account, query: Record<string, string>) =>
  (await (await pagesAs(w, who)).get(`/explain?${new URLSearchParams(query)}`)).text;
const answerOf = (text: string) => /<section class="panel" aria-label="Answer">[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';

test('a request is explained step by step, for the viewer’s own access', async () => {
  const request = { method: 'DELETE', path: `/repos/${ada.login}/${open.name}` };
  const owner = answerOf(await asked(ada, request));
  expect(owner).toContain('Allowed');
  expect(owner).toContain('needs admin');
  const other = answerOf(await asked(eve, request));
  expect(other).toContain('Refused with 403');
  expect(other).toContain('needs admin');
});

test('what is hidden is explained as what is absent', async () => {
  for (const ask of [
    (name: string) => ({ method: 'GET', path: `/repos/${ada.login}/${name}` }),
    (name: string) => ({ method: 'DELETE', path: `/repos/${ada.login}/${name}` }),
    (name: string) => ({ do: 'see', repository: `${ada.login}/${name}` }),
    (name: string) => ({ do: 'push', repository: `${ada.login}/${name}`, ref: 'main' }),
  ]) {
    const ofHidden = answerOf(await asked(eve, ask(hidden.name)));
    const absent = 'x'.repeat(hidden.name.length);
    expect(ofHidden).toContain('Refused with 404');
    expect(ofHidden.replaceAll(hidden.name, absent)).toBe(answerOf(await asked(eve, ask(absent))));
  }
});

test('a push is explained with the rules of the ref', async () => {
  const push = { do: 'push', repository: `${ada.login}/${open.name}`, ref: 'main' };
  expect(answerOf(await asked(eve, push))).toContain('Refused with 403');
  const client = await w.as(ada);
  await client.post(`/repos/${ada.login}/${open.name}/rulesets`, {
    name: '<b>Kept</b>',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'update' }],
  });
  const refused = answerOf(await asked(ada, push));
  expect(refused).toContain('Refused');
  expect(refused).toContain(`${ada.login} may push to`);
  expect(refused).not.toContain('<b>Kept</b>');
});

test('site administrators alone ask for somebody else, after a recent sign-in', async () => {
  const admin = await w.user(undefined, { site_admin: true });
  const see = { do: 'see', repository: `${ada.login}/${hidden.name}`, login: ada.login };
  expect(answerOf(await asked(admin, see))).toContain('Allowed');
  expect(answerOf(await asked(admin, { ...see, login: eve.login }))).toContain('Refused with 404');
  const pages = await pagesAs(w, admin);
  w.clock.now = new Date(w.clock.now.getTime() + 11 * 60_000);
  expect((await pages.get(`/explain?${new URLSearchParams(see)}`)).text).toContain('Only site administrators');
  expect(await asked(eve, see)).toContain('Only site administrators');
  expect(await asked(eve, { do: 'see', repository: `${ada.login}/${hidden.name}`, login: eve.login })).toContain(
    'Refused with 404',
  );
});

test('nothing is explained to visitors, and what people write is escaped', async () => {
  expect((await (await pagesAs(w)).get('/explain')).status).toBe(302);
  const attack = '"><script>alert(1)</script>';
  for (const query of [
    { path: attack },
    { method: attack, path: '/user' },
    { repository: `${attack}/x`, ref: attack, to: attack },
    { repository: 'a/b', login: attack },
  ] as Record<string, string>[])
    expect(await asked(eve, query)).not.toContain('<script>alert');
});

test('people ask in a browser, with and without scripts', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, eve, { javaScriptEnabled });
    await visit(tab, '/explain');
    await tab.page.getByLabel('Repository').fill(`${ada.login}/${open.name}`);
    await tab.page.getByRole('button', { name: 'Explain' }).first().click();
    await tab.page.getByText('Refused with 403').waitFor();
    expect(tab.problems).toEqual([]);
    if (javaScriptEnabled) await expectAccessible(tab);
  }
});
