import { afterEach, expect, test } from 'vitest';
import { addMinutes } from '#lib/time.ts';
import { hashToken } from '#lib/token.ts';
import { ensureFirstAdministrator, offerFirstStart } from '#resources/platform/oauth/index.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { formsAs } from '#test/support/form-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const start = w.clock.now;
const password = 'correct horse battery staple';
const wanted = { login: 'ada', password, again: password, organization: 'acme', repository: 'engine', token: 'yes' };

const offer = async (): Promise<string> => (await offerFirstStart(w.db, w.clock.now)) ?? 'none';

afterEach(async () => {
  w.clock.now = start;
  await w.db.deleteFrom('accounts').execute();
});

const logins = async () =>
  (await w.db.selectFrom('accounts').select('login').where('kind', '<>', 'bot').execute()).map(({ login }) => login);

test('an empty server makes its first administrator, an organization and a repository, and says how to push', async () => {
  const path = await offer();
  expect(path).toMatch(/^\/setup\/\w{36}$/);
  const visitor = await formsAs(w);
  const page = await visitor.get(path);
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('This server is empty') });
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('referrer-policy')).toBe('same-origin');
  const done = await visitor.send(path, path, { fields: wanted });
  expect(done.status).toBe(200);
  const host = w.url.replace('http://', '');
  expect(done.text).toContain(`git remote add origin http://ada@${host}/acme/engine.git`);
  expect(done.text).toContain(`export GH_HOST=${host}\nexport GH_ENTERPRISE_TOKEN=hrp_`);
  const token = /hrp_\w+/.exec(done.text)?.[0] ?? '';
  const client = await w.as(token);
  expect((await client.get('/user')).body).toMatchObject({ login: 'ada', site_admin: true });
  expect((await client.get('/repos/acme/engine')).body).toMatchObject({ private: true, permissions: { admin: true } });
  const [cookie = ''] = (done.headers.get('set-cookie') ?? '').split(';');
  expect((await visitor.get('/settings/sessions', { cookie })).status).toBe(200);
  expect((await visitor.send('/login', '/login', { fields: { login: 'ada', password } })).status).toBe(303);
  expect(await w.db.selectFrom('first_start').selectAll().execute()).toEqual([]);
  // It works once.
  expect((await visitor.get(path)).status).toBe(404);
  expect((await visitor.send(path, path, { fields: { ...wanted, login: 'eve', organization: '', repository: '' } })).status).toBe(
    404,
  );
  expect((await logins()).sort()).toEqual(['acme', 'ada']);
});

test('without an organization, a repository or a token, there is an administrator alone', async () => {
  const path = await offer();
  const visitor = await formsAs(w);
  const fields = { ...wanted, organization: ' ', repository: '', token: undefined };
  const done = await visitor.send(path, path, { fields });
  expect(done.status).toBe(200);
  expect(done.text).not.toContain('hrp_');
  expect(done.text).toContain('http://ada@');
  expect(await logins()).toEqual(['ada']);
});

test('the page is for who has the token: not for guesses, without one, with a former one, or too late', async () => {
  const former = await offer();
  const path = await offer();
  const visitor = await formsAs(w);
  for (const other of [former, '/setup/x', `${path}x`, path.slice(0, -1), '/setup/', '/setup'])
    expect((await visitor.get(other)).status, other).toBe(404);
  for (const other of [former, '/setup/x']) expect((await visitor.send(path, other, { fields: wanted })).status, other).toBe(404);
  for (const origin of ['https://evil.example', undefined, 'null'])
    expect((await visitor.send(path, path, { fields: wanted, headers: { origin } })).status).toBe(403);
  w.clock.now = addMinutes(start, 31);
  expect((await visitor.get(path)).status).toBe(404);
  expect((await visitor.send(path, path, { fields: wanted })).status).toBe(404);
  expect(await logins()).toEqual([]);
  const rows = await w.db.selectFrom('first_start').selectAll().execute();
  expect(rows).toMatchObject([{ hash: hashToken(path.replace('/setup/', '')) }]);
  expect(JSON.stringify(rows)).not.toContain(path.replace('/setup/', ''));
});

test('it is gone once there is a user, however it was made', async () => {
  const path = await offer();
  const visitor = await formsAs(w);
  await w.user('grace');
  expect((await visitor.get(path)).status).toBe(404);
  expect((await visitor.send(path, path, { fields: wanted })).status).toBe(404);
  expect(await logins()).toEqual(['grace']);
  expect(await offer()).toBe('none');
});

test('of many who use it at once, one becomes the administrator', async () => {
  const path = await offer();
  const visitor = await formsAs(w);
  const names = ['ada', 'bob', 'carl', 'dora'];
  const replies = await Promise.all(
    names.map((login) => visitor.send(path, path, { fields: { ...wanted, login, organization: '', repository: '' } })),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  expect(await logins()).toHaveLength(1);
});

test.each([
  [{ password: 'short', again: 'short' }, 'A password has 10 to 1024 characters'],
  [{ again: 'different password' }, 'The two passwords differ'],
  [{ login: 'settings' }, 'must not be a reserved word'],
  [{ login: '<b>' }, 'letters, digits and single hyphens'],
  [{ organization: 'ada' }, 'login has already been taken'],
  [{ organization: 'a b' }, 'letters, digits and single hyphens'],
])('%o is refused with a reason, and nothing is made; then it goes on', async (fields, reason) => {
  const path = await offer();
  const visitor = await formsAs(w);
  const refused = await visitor.send(path, path, { fields: { ...wanted, ...fields } });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(reason)]);
  expect(refused.text).not.toContain(password);
  expect(refused.text).not.toContain('<b>');
  expect(await logins()).toEqual([]);
  expect((await visitor.send(path, path, { fields: wanted })).status).toBe(200);
});

test('the settings of the operator make the first administrator, and only the first', async () => {
  const ensure = (login: string) => w.change((scope) => ensureFirstAdministrator(scope, { login, password }));
  expect(await ensure('ada')).toBe(true);
  expect(await ensure('eve')).toBe(false);
  expect(await logins()).toEqual(['ada']);
  const visitor = await formsAs(w);
  expect((await visitor.send('/login', '/login', { fields: { login: 'ada', password } })).status).toBe(303);
});

test('a person begins in a browser', async () => {
  const tab = await openTab(w);
  await visit(tab, await offer());
  await expectAccessible(tab);
  await tab.page.getByLabel('User name').fill('ada');
  await tab.page.getByLabel('Password', { exact: true }).fill(password);
  await tab.page.getByLabel('The same password again').fill(password);
  await tab.page.getByRole('button', { name: 'Begin' }).click();
  await tab.page.getByText('You are its administrator').waitFor({ timeout: 5_000 });
  await expectAccessible(tab);
  await tab.page.getByRole('link', { name: 'Go to ada/welcome' }).click();
  await tab.page.getByRole('navigation', { name: 'Repository' }).waitFor({ timeout: 5_000 });
  expect(tab.problems).toEqual([]);
});
