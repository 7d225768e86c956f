// Websites of a server that was started from the command line.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { command, complaint, installation, serve } from './support.ts';

/** A port that nothing listens on. */
async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? String(address.port) : '';
}

test('several processes serve websites behind a port of their own', async () => {
  const place = await installation();
  const port = await freePort();
  const websites = ['--pages-port', port, '--pages-url', `http://localhost:${port}`];
  const server = await serve(place.data, ['--workers', '2', ...websites], place.env);
  for (const args of [
    ['user', 'create', 'ada'],
    ['repo', 'create', 'ada/engine'],
  ])
    expect((await place.run(...args)).code).toBe(0);
  const made = await place.run('token', 'create', '--kind', 'classic', '--user', 'ada', '--scope', 'repo', '--quiet');
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${made.out.trim()}` };
    const options = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    return (await fetch(`${server.url}/api/v3/repos/ada/engine${path}`, options)).json() as Promise<{ html_url: string }>;
  };
  await call('PUT', '/contents/index.html', { message: 'Begin', content: Buffer.from('Engine').toString('base64') });
  const { html_url } = await call('POST', '/pages', { source: { branch: 'main' } });
  expect(new URL(html_url)).toMatchObject({ host: `localhost:${port}`, pathname: '/ada/engine/' });
  await expect.poll(async () => (await fetch(html_url)).text()).toBe('Engine');
  const replies = await Promise.all(Array.from({ length: 10 }, async () => (await fetch(html_url)).text()));
  expect(replies).toEqual(Array.from({ length: 10 }, () => 'Engine'));
  expect(await server.end()).toBe(0);
  await expect(fetch(html_url)).rejects.toThrow();
});

test('a port for websites that is in use, and an address that the API has, are one clear line', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';
  const { data, env } = await installation();
  const serving = ['serve', '--data', data, '--port', '0'];
  const busy = await command([...serving, '--pages-port', port, '--pages-url', `http://localhost:${port}`], env);
  other.close();
  expect(complaint(busy)).toMatch(/is in use, which is for websites: .*--pages-port, or off$/);
  for (const pages of ['https://code.example.com:443', 'https://*.example.com', 'https://*.code.example.com']) {
    const urls = { HEARTH_URL: 'https://code.example.com', HEARTH_PAGES_URL: pages, HEARTH_PAGES_PORT: '0' };
    const shared = await command(serving, { ...env, ...urls });
    expect(complaint(shared), pages).toMatch(/^HEARTH_PAGES_URL must be another origin than HEARTH_URL/);
  }
});
