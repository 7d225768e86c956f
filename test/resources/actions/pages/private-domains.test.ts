// Websites that not everybody may see, where websites have no hosts of their own: at the port of the default.
import { expect, test } from 'vitest';
import { visitor } from '#test/pages-server/visitor.ts';
import { siteSetting } from './setting.ts';

const server = 'http://code.test:3000';
const stage = await siteSetting({ url: server });
const { here, org, client, get, port, published, repository } = stage;

test('such a website is hidden, unless it has a domain, which serves nothing else', async () => {
  const { repo, at, web } = await published({ 'index.html': 'inner' }, { visibility: 'private' });
  const other = await published({ 'index.html': 'other' });
  expect((await client.get(`${at}/pages`)).body.html_url).toBe(`http://code.test:${port}${web}`);
  expect((await get(web)).status).toBe(404);
  await client.put(`${at}/pages`, { cname: 'docs.test' });
  const home = `http://docs.test:${port}/`;
  expect((await client.get(`${at}/pages`)).body.html_url).toBe(home);
  const reader = await here.user();
  await here.collaborator(repo, reader, 'read');
  const page = visitor({ here, server, sites: port });
  expect(await page.signIn(reader, await page.open(`${home}?x`))).toMatchObject({ status: 200, url: `${home}?x`, body: 'inner' });
  expect([...(page.jar.get(new URL(home).host) ?? new Map()).keys()].sort()).toEqual(['hearth_website', 'hearth_website_nonce']);
  expect(await page.visit(home.slice(0, -1) + other.web)).toMatchObject({
    status: 404,
    headers: { 'cache-control': 'private, no-cache' },
  });
  expect(await get(other.web, { host: 'docs.test' })).toMatchObject({ status: 302 });
  expect(await get(other.web, { host: 'unknown.test' })).toMatchObject({ status: 200, body: 'other' });
  await client.patch(at, { private: false });
  expect(await get('/', { host: 'docs.test' })).toMatchObject({ status: 200, body: 'inner' });
});

test('a domain serves no websites of others before its own is built', async () => {
  const { at } = await repository({ 'index.html': 'inner' }, { visibility: 'private' });
  const other = await published({ 'index.html': 'other' });
  await client.post(`${at}/pages`, { build_type: 'workflow' });
  await client.put(`${at}/pages`, { cname: 'early.test' });
  expect((await get(other.web, { host: 'early.test' })).status).toBe(302);
  await client.put(`${at}/pages`, { public: true });
  expect((await get(other.web, { host: 'early.test' })).status).toBe(404);
  expect((await get(`/${org.login}/`, { host: 'early.test' })).status).toBe(404);
});
