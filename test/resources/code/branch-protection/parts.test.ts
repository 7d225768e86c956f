import { expect, test } from 'vitest';
import { everything, nothing } from './bodies.ts';
import { app, collaborator, setting, team } from './setting.ts';

test.each(['enforce_admins', 'required_signatures'])('%s is switched on and off', async (part) => {
  const { client, base } = await setting('user');
  expect((await client.post(`${base}/${part}`)).status).toBe(404);
  await client.put(base, nothing);
  const url = expect.stringMatching(`/branches/main/protection/${part}$`);
  expect(await client.get(`${base}/${part}`)).toMatchObject({ status: 200, body: { url, enabled: false } });
  for (const _ of [1, 2])
    expect(await client.post(`${base}/${part}`)).toMatchObject({ status: 200, body: { url, enabled: true } });
  expect(await client.get(`${base}/${part}`)).toMatchObject({ body: { enabled: true } });
  expect((await client.get(base)).body[part]).toMatchObject({ enabled: true });
  for (const _ of [1, 2]) expect((await client.delete(`${base}/${part}`)).status).toBe(204);
  expect(await client.get(`${base}/${part}`)).toMatchObject({ body: { enabled: false } });
});

test('reviews are demanded, changed in part, and no longer demanded', async () => {
  const here = await setting();
  const { client, base } = here;
  const part = `${base}/required_pull_request_reviews`;
  const [user, slug, bot] = [await collaborator(here), await team(here), await app(here)];
  const actors = { users: [user.login], teams: [slug], apps: [bot.slug] };
  const shown = { users: [{ login: user.login }], teams: [{ slug }], apps: [{ slug: bot.slug }] };
  await client.put(base, { ...nothing, required_pull_request_reviews: { dismissal_restrictions: actors } });
  expect(await client.get(part)).toMatchObject({
    status: 200,
    body: { required_approving_review_count: 1, dismiss_stale_reviews: false, dismissal_restrictions: shown },
  });
  const changed = await client.patch(part, { required_approving_review_count: 6, bypass_pull_request_allowances: actors });
  expect(changed).toMatchObject({
    status: 200,
    body: { required_approving_review_count: 6, dismissal_restrictions: shown, bypass_pull_request_allowances: shown },
  });
  expect(changed.body).toEqual((await client.get(part)).body);
  const { body } = await client.patch(part, { dismissal_restrictions: {}, bypass_pull_request_allowances: { users: [] } });
  expect(body).not.toHaveProperty('dismissal_restrictions');
  expect(body).not.toHaveProperty('bypass_pull_request_allowances');
  const { body: nobody } = await client.patch(part, { dismissal_restrictions: { users: [] }, require_last_push_approval: true });
  expect(nobody).toMatchObject({ require_last_push_approval: true, dismissal_restrictions: { users: [], teams: [], apps: [] } });
  expect((await client.delete(part)).status).toBe(204);
  for (const reply of [await client.get(part), await client.patch(part, {}), await client.delete(part)])
    expect(reply).toMatchObject({ status: 404, body: { message: 'Pull request reviews not enabled' } });
  expect((await client.get(base)).body).not.toHaveProperty('required_pull_request_reviews');
});

test('status checks are required, changed in part, and no longer required', async () => {
  const here = await setting();
  const { client, base } = here;
  const part = `${base}/required_status_checks`;
  const { id } = await app(here, { checks: 'write' });
  const checks = [{ context: 'build', app_id: id }, { context: 'lint', app_id: -1 }, { context: 'test' }];
  await client.put(base, { ...nothing, required_status_checks: { strict: false, checks } });
  const shown = [
    { context: 'build', app_id: id },
    { context: 'lint', app_id: null },
    { context: 'test', app_id: null },
  ];
  const first = await client.get(part);
  expect(first.body).toMatchObject({ strict: false, contexts: ['build', 'lint', 'test'], checks: shown });
  expect((await client.put(base, { ...nothing, required_status_checks: first.body })).body.required_status_checks).toEqual(
    first.body,
  );
  expect(await client.patch(part, { strict: true })).toMatchObject({ status: 200, body: { strict: true, checks: shown } });
  const bound = { strict: true, contexts: ['test'], checks: [{ context: 'test', app_id: id }, { context: 'x' }] };
  expect((await client.patch(part, bound)).body.checks).toEqual([
    { context: 'test', app_id: id },
    { context: 'x', app_id: null },
  ]);
  expect((await client.delete(part)).status).toBe(204);
  for (const reply of [
    await client.get(part),
    await client.patch(part, {}),
    await client.delete(part),
    await client.get(`${part}/contexts`),
  ])
    expect(reply).toMatchObject({ status: 404, body: { message: 'Required status checks not enabled' } });
});

test('contexts are added, set and removed, as a list or under their name', async () => {
  const here = await setting();
  const { client, base } = here;
  const part = `${base}/required_status_checks/contexts`;
  const { id } = await app(here);
  await client.put(base, { ...nothing, required_status_checks: { strict: true, checks: [{ context: 'a', app_id: id }] } });
  expect(await client.get(part)).toMatchObject({ status: 200, body: ['a'] });
  expect(await client.post(part, { contexts: ['b', 'a', 'b'] })).toMatchObject({ status: 200, body: ['a', 'b'] });
  expect(await client.post(part, ['c'])).toMatchObject({ status: 200, body: ['a', 'b', 'c'] });
  expect(await client.delete(part, ['b', 'none'])).toMatchObject({ status: 200, body: ['a', 'c'] });
  expect(await client.put(part, { contexts: ['d', 'a'] })).toMatchObject({ status: 200, body: ['d', 'a'] });
  expect((await client.get(`${base}/required_status_checks`)).body).toMatchObject({
    strict: true,
    checks: [
      { context: 'd', app_id: null },
      { context: 'a', app_id: id },
    ],
  });
  expect(await client.delete(part, { contexts: ['a', 'd'] })).toMatchObject({ status: 200, body: [] });
});

test('users, teams and apps are added to those who may push, set and removed, as a list or under their name', async () => {
  const here = await setting();
  const { client, base } = here;
  const [one, two] = [await collaborator(here), await collaborator(here, 'admin')];
  const [red, blue] = [await team(here), await team(here)];
  const [bot, robot] = [await app(here), await app(here)];
  await client.put(base, everything);
  const names = { users: [one.login, two.login], teams: [red, blue], apps: [bot.slug, robot.slug] };
  for (const [kind, [first = '', second = '']] of Object.entries(names)) {
    const part = `${base}/restrictions/${kind}`;
    const shown = (body: { login: string; slug: string }[]) => body.map(({ login, slug }) => (kind === 'users' ? login : slug));
    const after = async (reply: Promise<{ status: number; body: [] }>) => {
      const { status, body } = await reply;
      expect([status, (await client.get(part)).body]).toEqual([200, body]);
      return shown(body);
    };
    expect((await client.get(part)).body).toEqual([]);
    expect(await after(client.post(part, [first.toUpperCase()]))).toEqual([first]);
    expect(await after(client.post(part, { [kind]: [first, second] }))).toEqual([first, second]);
    expect(await after(client.delete(part, { [kind]: [first.toUpperCase(), 'none'] }))).toEqual([second]);
    expect(await after(client.put(part, { [kind]: [first] }))).toEqual([first]);
    expect(await after(client.put(part, []))).toEqual([]);
    expect(await after(client.post(part, [second]))).toEqual([second]);
  }
  expect(await client.get(`${base}/restrictions`)).toMatchObject({
    status: 200,
    body: { users: [{ login: two.login }], teams: [{ slug: blue }], apps: [{ slug: robot.slug }] },
  });
  expect((await client.delete(`${base}/restrictions`)).status).toBe(204);
  for (const reply of [
    await client.get(`${base}/restrictions`),
    await client.delete(`${base}/restrictions`),
    await client.get(`${base}/restrictions/users`),
    await client.post(`${base}/restrictions/teams`, [red]),
  ])
    expect(reply).toMatchObject({ status: 404, body: { message: 'Push restrictions not enabled' } });
});

test('who can no longer write stays in a list, and can be removed from it', async () => {
  const here = await setting();
  const { client, base, path, user } = here;
  const one = await collaborator(here);
  await client.put(base, { ...nothing, restrictions: { users: [one.login, user.login], teams: [] } });
  await client.delete(`${path}/collaborators/${one.login}`);
  const left = async () => (await client.get(`${base}/restrictions/users`)).body.map(({ login }: { login: string }) => login);
  expect(await left()).toEqual([user.login, one.login]);
  expect((await client.post(`${base}/restrictions/users`, [one.login])).status).toBe(422);
  expect((await client.delete(`${base}/restrictions/users`, [one.login])).status).toBe(200);
  expect(await left()).toEqual([user.login]);
});
