import { expect, test } from 'vitest';
import { command, complaint, installation, serve } from './support.ts';

const address = /\n {2}(http:\/\/127\.0\.0\.1:\d+\/setup\/\w{36})\n/;

test('a server without users prints the address of its first start, and a new one when it starts again', async () => {
  const place = await installation();
  const first = await serve(place.data, [], place.env);
  await expect.poll(() => first.log()).toMatch(address);
  const [, former = ''] = address.exec(first.log()) ?? [];
  expect((await fetch(former)).status).toBe(200);
  expect(await first.end()).toBe(0);
  const second = await serve(place.data, ['--workers', '2'], place.env);
  await expect.poll(() => second.log()).toMatch(address);
  const [, path = ''] = address.exec(second.log()) ?? [];
  expect((await fetch(path)).status).toBe(200);
  expect((await fetch(new URL(new URL(former).pathname, second.url))).status).toBe(404);
  expect(await second.end()).toBe(0);
  await place.run('user', 'create', 'ada', '--site-admin');
  const third = await serve(place.data, [], place.env);
  expect((await fetch(new URL(new URL(path).pathname, third.url))).status).toBe(404);
  expect(third.log()).not.toContain('/setup/');
  expect(await third.end()).toBe(0);
});

test('the settings make the first administrator, who signs in at once', async () => {
  const place = await installation();
  const given = { HEARTH_ADMIN_LOGIN: 'ada', HEARTH_ADMIN_PASSWORD: 'correct horse battery staple' };
  const server = await serve(place.data, [], { ...place.env, ...given });
  const body = new URLSearchParams({ login: 'ada', password: given.HEARTH_ADMIN_PASSWORD });
  const reply = await fetch(`${server.url}/login`, { method: 'POST', body, headers: { origin: server.url }, redirect: 'manual' });
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/']);
  expect(server.log()).not.toContain('/setup/');
  expect(await server.end()).toBe(0);
});

test.each([
  [{ HEARTH_ADMIN_LOGIN: 'ada' }, /^HEARTH_ADMIN_LOGIN and HEARTH_ADMIN_PASSWORD belong together$/],
  [{ HEARTH_ADMIN_LOGIN: 'ada', HEARTH_ADMIN_PASSWORD: 'short' }, /make no administrator: A password has 10 to 1024 characters$/],
  [{ HEARTH_ADMIN_LOGIN: 'login', HEARTH_ADMIN_PASSWORD: 'long enough for it' }, /make no administrator: login may contain/],
])('%o is one clear line', async (env, message) => {
  const place = await installation();
  expect(complaint(await command(['serve', '--port', '0', '--data', place.data], { ...place.env, ...env }))).toMatch(message);
});
