import { expect, test } from 'vitest';
import { findSession } from '#access/sessions.ts';
import type { Account } from '#access/viewer.ts';
import type { PageRequest } from '#console/page.ts';
import { errorContent } from '#console/pages/error.ts';
import { browserName } from '#console/pages/platform/browser-name.ts';
import { hashToken } from '#lib/token.ts';
import { changePassword } from '#resources/platform/oauth/index.ts';
import { cheapHash, password } from '#test/resources/platform/oauth/accounts.ts';
import { formsAs } from '#test/support/form-client.ts';
import { pagesAs, sessionCookie } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const tokenOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);
const isSession = async (cookie: string) => (await findSession(w.db, hashToken(tokenOf(cookie)), w.clock.now)) !== undefined;
const withPassword = async (isTemporary = false): Promise<Account> => {
  const account = await w.user();
  await w.change((scope) => changePassword(scope, account.id, cheapHash(password), { isTemporary }));
  return account;
};

test('sessions are listed for their person; each is ended, and so are all others', async () => {
  const [ada, eve] = [await w.user(), await w.user()];
  const forms = await formsAs(w, ada);
  const [phone, tablet] = [await sessionCookie(w, ada), await sessionCookie(w, ada)];
  const foreign = await sessionCookie(w, eve);
  const idOf = async (cookie: string) =>
    (
      await w.db
        .selectFrom('sessions')
        .select('id')
        .where('hash', '=', hashToken(tokenOf(cookie)))
        .executeTakeFirstOrThrow()
    ).id;
  const agent = '<b>Mozilla</b> (X11; Linux x86_64) Firefox/140.0';
  await w.db
    .updateTable('sessions')
    .set({ agent, address: '192.0.2.7' })
    .where('id', '=', await idOf(phone))
    .execute();
  const { text } = await forms.get('/settings/sessions');
  expect(text).toContain('Firefox on Linux');
  expect(text).toContain('192.0.2.7');
  expect(text.match(/this one/g)).toHaveLength(1);
  expect(text).not.toContain(`/settings/sessions/${await idOf(foreign)}/end`);
  const ended = await forms.send('/settings/sessions', `/settings/sessions/${await idOf(phone)}/end`);
  expect([ended.status, ended.location]).toEqual([303, '/settings/sessions']);
  expect([await isSession(phone), await isSession(tablet)]).toEqual([false, true]);
  expect((await forms.send('/settings/sessions', `/settings/sessions/${await idOf(foreign)}/end`)).status).toBe(404);
  expect((await forms.send('/settings/sessions', '/settings/sessions/end-others')).status).toBe(303);
  expect([await isSession(tablet), await isSession(forms.cookie), await isSession(foreign)]).toEqual([false, true, true]);
});

test('a browser has a name for people, whatever it calls itself', () => {
  const names = [
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/15E148 Safari/604.1',
    '<script>x</script>',
    '',
  ].map(browserName);
  expect(names).toEqual(['Firefox on Linux', 'Edge on Windows', 'Safari on iPhone', '<script>x</script>', 'A browser']);
});

test('what a browser calls itself can not become markup', async () => {
  const ada = await w.user();
  const forms = await formsAs(w, ada);
  await w.db
    .updateTable('sessions')
    .set({ agent: '<script>x</script>', address: '"><b>' })
    .where('account_id', '=', ada.id)
    .execute();
  const { text } = await forms.get('/settings/sessions');
  expect(text).toContain('&lt;script&gt;x');
  expect(text).not.toMatch(/<script>x|<b>/);
});

test('the list takes as many statements for one session as for thirty', async () => {
  const ada = await w.user();
  const pages = await pagesAs(w, ada);
  const before = await pages.statements('/settings/sessions');
  for (let count = 0; count < 30; count++) await sessionCookie(w, ada);
  expect(await pages.statements('/settings/sessions')).toBe(before);
  expect(before).toBeLessThanOrEqual(3);
});

test('the use of a session is noted, once an hour at most', async () => {
  const ada = await w.user();
  const forms = await formsAs(w, ada);
  const used = async () =>
    (await w.db.selectFrom('sessions').select('last_used_at').where('account_id', '=', ada.id).executeTakeFirstOrThrow())
      .last_used_at;
  const start = w.clock.now;
  for (const [minutes, noted] of [
    [59, 0],
    [61, 61],
    [100, 61],
    [122, 122],
  ] as const) {
    w.clock.now = new Date(start.getTime() + minutes * 60_000);
    await forms.get('/');
    expect(await used()).toEqual(new Date(start.getTime() + noted * 60_000));
  }
  w.clock.now = start;
});

test('a password is changed by who knows the present one; other sessions end, and the present one goes on', async () => {
  const ada = await withPassword();
  const forms = await formsAs(w, ada);
  const other = await sessionCookie(w, ada);
  const wanted = 'another long password';
  const send = (fields: Record<string, string>) =>
    forms.send('/settings/password', '/settings/password', { fields: { password, wanted, again: wanted, ...fields } });
  for (const [fields, problem] of [
    [{ password: 'guessed' }, 'The present password is another one'],
    [{ again: 'different' }, 'The two new passwords differ'],
    [{ wanted: 'short', again: 'short' }, 'A password has 10 to 1024 characters'],
    [{ wanted: password, again: password }, 'The new password is the present one'],
  ] as const) {
    const refused = await send(fields);
    expect(refused.status, problem).toBe(422);
    expect(refused.text).toContain(problem);
    for (const secret of [password, wanted, 'guessed', 'different']) expect(refused.text).not.toContain(secret);
  }
  expect(await isSession(other)).toBe(true);
  const done = await send({});
  expect([done.status, done.location]).toEqual([303, '/settings/sessions?changed=1']);
  expect([await isSession(other), await isSession(forms.cookie)]).toEqual([false, true]);
  expect((await send({})).status).toBe(422);
});

test('wrong passwords of a session count as those of the sign-in do', async () => {
  const ada = await withPassword();
  const forms = await formsAs(w, ada);
  const statuses = new Set<number>();
  for (let tries = 0; tries < 25; tries++)
    statuses.add((await forms.send('/settings/confirm', '/settings/confirm', { fields: { password: 'guessed' } })).status);
  expect([...statuses]).toEqual([422, 429]);
  await w.db.deleteFrom('rate_limits').execute();
});

test('a password that an administrator has set is changed before anything else', async () => {
  const ada = await withPassword(true);
  const forms = await formsAs(w, ada);
  for (const path of ['/', '/settings/sessions', `/${ada.login}/engine`, '/login/device', '/login/oauth/authorize?client_id=x'])
    expect(await forms.get(path), path).toMatchObject({
      status: expect.toSatisfy((status: number) => status === 302 || status === 303),
      location: `/settings/password?return_to=${encodeURIComponent(path)}`,
    });
  const ended = await forms.send('/settings/password', '/settings/sessions/end-others');
  expect([ended.status, ended.location]).toEqual([303, '/settings/password?return_to=%2F']);
  expect((await forms.get('/settings/password')).text).toContain('Somebody else has set your password');
  const wanted = 'only ada knows this';
  const address = '/settings/password?return_to=%2Flogin%2Fdevice';
  const done = await forms.send(address, address, { fields: { password, wanted, again: wanted } });
  expect([done.status, done.location]).toEqual([303, '/login/device']);
  expect((await forms.get('/')).status).toBe(200);
});

test('to confirm one’s password lets a session administer for ten minutes', async () => {
  const ada = await withPassword();
  const forms = await formsAs(w, ada);
  const start = w.clock.now;
  w.clock.now = new Date(start.getTime() + 11 * 60_000);
  const isRecent = async () => (await findSession(w.db, hashToken(tokenOf(forms.cookie)), w.clock.now))?.viewer.grant.isRecent;
  expect(await isRecent()).toBe(false);
  const address = '/settings/confirm?return_to=%2Fexplain';
  expect((await forms.send(address, address, { fields: { password: 'guessed' } })).status).toBe(422);
  expect(await isRecent()).toBe(false);
  const done = await forms.send(address, address, { fields: { password } });
  expect([done.status, done.location, await isRecent()]).toEqual([303, '/explain', true]);
  for (const return_to of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/%09/evil.example'.replace('%09', '\t'),
  ]) {
    const led = `/settings/confirm?${new URLSearchParams({ return_to })}`;
    expect((await forms.send(led, led, { fields: { password } })).location).toBe('/');
  }
  w.clock.now = start;
});

test('an administrator whose sign-in is too long ago is asked to confirm, and nobody else is', () => {
  const refused = { status: 403, message: 'Must be a site administrator', requestId: 'x' };
  const shown = (site_admin: boolean) =>
    String(errorContent(refused, { person: { site_admin }, address: '/admin?x=1' } as unknown as PageRequest).body);
  expect(shown(true)).toContain('/settings/confirm?return_to=%2Fadmin%3Fx%3D1');
  expect(shown(false)).not.toContain('/settings/confirm');
});

test('who is not signed in is led to sign in, and comes back', async () => {
  const forms = await formsAs(w);
  for (const path of ['/settings/sessions', '/settings/password', '/settings/confirm'])
    expect(await forms.get(path)).toMatchObject({ status: 302, location: `/login?return_to=${encodeURIComponent(path)}` });
  expect(await forms.send('/login', '/settings/sessions/end-others')).toMatchObject({ status: 303, location: '/login' });
});
