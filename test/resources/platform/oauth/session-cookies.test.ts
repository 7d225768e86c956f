import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { password, signedInBrowser } from './accounts.ts';

const here = await world({ trustedProxies: ['127.0.0.1'] });

/** Signs a user in at the sign-in page, and returns the cookie that the browser is given. */
async function cookieOf(login: string, headers: Record<string, string>): Promise<string> {
  const body = new URLSearchParams({ login, password });
  const origin = 'x-forwarded-proto' in headers ? here.url.replace('http:', 'https:') : here.url;
  const reply = await fetch(`${here.url}/login`, { method: 'POST', body, headers: { ...headers, origin }, redirect: 'manual' });
  return reply.headers.get('set-cookie') ?? '';
}

/** The status of a page for those who are signed in. */
const statusWith = async (cookie: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(`${here.url}/login/device`, { headers: { ...headers, cookie }, redirect: 'manual' })).status;

const secure = { 'x-forwarded-proto': 'https' };

test('over HTTPS, no host beside or below the server can set the cookie of a session', async () => {
  const user = await here.user();
  await signedInBrowser(here, user);
  const given = await cookieOf(user.login, secure);
  expect(given).toMatch(/^__Host-hearth_session=[^;]+; (?!.*Domain)/);
  for (const rule of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']) expect(given).toContain(rule);
  const [pair = ''] = given.split(';');
  expect(await statusWith(pair, secure)).toBe(200);
  // A name without the prefix may be from another host.
  expect(await statusWith(pair.replace('__Host-', ''), secure)).toBe(302);
});

test('of two sessions that a browser sends, none counts', async () => {
  const [user, other] = [await here.user(), await here.user()];
  await signedInBrowser(here, user);
  await signedInBrowser(here, other);
  for (const headers of [{}, secure]) {
    const [own = ''] = (await cookieOf(user.login, headers)).split(';');
    const [foreign = ''] = (await cookieOf(other.login, headers)).split(';');
    expect(await statusWith(own, headers)).toBe(200);
    expect(await statusWith(`${foreign}; ${own}`, headers)).toBe(302);
    expect(await statusWith(`${own};${foreign}`, headers)).toBe(302);
  }
});
