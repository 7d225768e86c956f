import { expect, test } from 'vitest';
import { listSuspended } from '#resources/identity/accounts/index.ts';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, token, db, clock } = w;
const admin = await user('root', { site_admin: true });

test('an administrator creates users and organizations', async () => {
  const client = await as(admin);
  const made = await client.post('/admin/users', { login: 'grace', email: 'grace@example.com' });
  expect([made.status, made.body.login]).toEqual([201, 'grace']);
  expect((await client.post('/admin/users', { login: 'Grace' })).status).toBe(422);
  expect((await client.post('/admin/users', { login: 'a b' })).body.errors[0].field).toBe('login');
  expect((await client.post('/admin/users', { login: 'mary', suspended: true })).status).toBe(201);
  const theirs = await client.post('/admin/users/mary/authorizations', { scopes: ['repo'] });
  const mary = async () => (await (await as(theirs.body.token)).get('/user')).status;
  expect(await mary()).toBe(403);
  await client.delete('/users/mary/suspended');
  expect(await mary()).toBe(200);
  const org = await client.post('/admin/organizations', { login: 'acme', admin: 'grace', profile_name: 'Acme' });
  expect([org.status, org.body.login]).toEqual([201, 'acme']);
  expect((await client.get('/orgs/acme')).body.name).toBe('Acme');
  expect((await client.post('/admin/organizations', { login: 'other', admin: 'nobody' })).body.errors[0].field).toBe('admin');
});

test('an administrator acts for a user by one token with the scopes asked for', async () => {
  const client = await as(admin);
  const someone = await user();
  const path = `/admin/users/${someone.login}/authorizations`;
  const first = await client.post(path, { scopes: ['repo', 'read:org'] });
  expect([first.status, first.body.scopes]).toEqual([201, ['repo', 'read:org']]);
  const acting = await as(first.body.token);
  expect((await acting.get('/user')).body.login).toBe(someone.login);
  const second = await client.post(path, { scopes: ['repo'] });
  expect((await acting.get('/user')).status).toBe(401);
  expect((await client.post(path, { scopes: ['everything'] })).status).toBe(422);
  expect((await client.delete(path)).status).toBe(204);
  expect((await (await as(second.body.token)).get('/user')).status).toBe(401);
});

test('a suspended user is refused by every credential until the suspension ends', async () => {
  const client = await as(admin);
  const someone = await user();
  const theirs = await as(someone);
  expect((await client.put(`/users/${someone.login}/suspended`, { reason: 'Left' })).status).toBe(204);
  expect((await theirs.get('/user')).status).toBe(403);
  expect((await client.delete(`/users/${someone.login}/suspended`)).status).toBe(204);
  expect((await theirs.get('/user')).status).toBe(200);
  expect((await client.put(`/users/${admin.login}/suspended`)).status).toBe(403);
});

test('the reason of a suspension is listed for the operator, the last one where there are several', async () => {
  const client = await as(admin);
  const [someone, another] = [await user(), await user()];
  const listed = async () => (await listSuspended(db)).filter(({ login }) => [someone.login, another.login].includes(login));
  await client.put(`/users/${someone.login}/suspended`, { reason: 'Left the company' });
  await client.put(`/users/${another.login}/suspended`);
  const both = { since: clock.now, by: admin.login };
  expect(await listed()).toEqual([
    { ...both, login: someone.login, reason: 'Left the company' },
    { ...both, login: another.login, reason: null },
  ]);
  await client.put(`/users/${someone.login}/suspended`);
  expect((await listed())[0]?.reason).toBe('Left the company');
  await client.put(`/users/${someone.login}/suspended`, { reason: 'Shared a password' });
  expect((await listed())[0]?.reason).toBe('Shared a password');
  await client.delete(`/users/${someone.login}/suspended`);
  await client.put(`/users/${someone.login}/suspended`);
  expect((await listed())[0]?.reason).toBe(null);
});

test('administrators make others administrators, and cannot demote themselves', async () => {
  const client = await as(admin);
  const someone = await user();
  const theirs = await as(someone);
  expect((await theirs.post('/admin/users', { login: 'x1' })).status).toBe(403);
  expect((await client.put(`/users/${someone.login}/site_admin`)).status).toBe(204);
  expect((await theirs.post('/admin/users', { login: 'x1' })).status).toBe(201);
  expect((await client.delete(`/users/${someone.login}/site_admin`)).status).toBe(204);
  expect((await client.delete(`/users/${admin.login}/site_admin`)).status).toBe(403);
});

test('the scope site_admin is needed', async () => {
  const client = await as(await token(admin, ['repo', 'admin:org']));
  expect((await client.post('/admin/users', { login: 'x2' })).status).toBe(403);
});

test('an organization and a bot can neither be acted for, nor be suspended, nor administrate', async () => {
  const client = await as(admin);
  const acme = await org(admin);
  const { bot } = await installApp(w, { on: acme, permissions: {} });
  await w.unchanged(['accounts', 'tokens', 'events'], async () => {
    for (const { login } of [acme, bot]) {
      const name = encodeURIComponent(login);
      expect(await client.post(`/admin/users/${name}/authorizations`, { scopes: ['repo'] })).toMatchObject({
        status: 403,
        body: { message: 'Only users can be impersonated' },
      });
      expect(await client.put(`/users/${name}/suspended`)).toMatchObject({
        status: 403,
        body: { message: 'Only users can be suspended' },
      });
      for (const method of ['put', 'delete'] as const)
        expect(await client[method](`/users/${name}/site_admin`)).toMatchObject({
          status: 403,
          body: { message: 'Only users can be site administrators' },
        });
    }
  });
});
