import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const here = await world({ url: 'https://code.example.com:8443' });

/** The links of a reply, to a proxy that isn't believed and passes the host on without its port, as nginx does. */
async function linksAt(host: string): Promise<{ url: string; html_url: string }> {
  const reply = await here.hearth.app.inject({ url: '/users/ada', headers: { host } });
  return reply.json();
}

test('the API’s own host has the scheme and the port of the address that people use', async () => {
  await here.user('ada');
  expect(await linksAt('api.code.example.com')).toMatchObject({
    url: 'https://api.code.example.com:8443/users/ada',
    html_url: 'https://code.example.com:8443/ada',
  });
  expect(await linksAt('api.localhost:3000')).toMatchObject({
    url: 'http://api.localhost:3000/users/ada',
    html_url: 'http://localhost:3000/ada',
  });
});
