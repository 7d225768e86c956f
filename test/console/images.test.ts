import { expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import { withForeignImages } from '#html/foreign-images.ts';
import { html, trustHtml } from '#html/template.ts';
import { imageAddress } from '#resources/platform/markdown/index.ts';
import { openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';

const w = await world({ resourceLimits: { images: { bytes: 100, time: 500 } } });
const { secrets } = w.hearth.services;
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const elsewhere = await receiver();

const load = (path: string, headers = {}) => fetch(`${w.url}${path}`, { headers, redirect: 'manual' });
const signed = (url: string) => imageAddress(secrets, url) ?? '';

test('an image of another server is loaded through this one, and shown', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'private' });
  elsewhere.answer = (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png);
  const body = `![A pixel](${elsewhere.url}?a=1&b="2" "a > b")`;
  await (await w.as(ada)).post(`/repos/${ada.login}/${repo.name}/issues`, { title: 'It leaks', body });
  const path = `/${ada.login}/${repo.name}/issues/1`;
  const { text } = await (await pagesAs(w, ada)).get(path);
  const [, address = ''] = /<img src="(\/_images\/[\w-]{43}\/[\w-]+)" loading="lazy" alt="A pixel"/.exec(text) ?? [];
  const reply = await load(address, { cookie: 'hearth_session=x', authorization: 'Bearer x', referer: `${w.url}${path}` });
  expect(reply.status).toBe(200);
  expect(Buffer.from(await reply.arrayBuffer())).toEqual(png);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=3600',
  });
  // The other server doesn't learn who reads what.
  const [asked] = elsewhere.requests.slice(-1);
  expect(Object.keys(asked?.headers ?? {}).toSorted()).toEqual(['accept', 'host', 'user-agent']);
  const tab = await openTab(w, ada);
  await visit(tab, path);
  const isShown = (image: object) => 'naturalWidth' in image && image.naturalWidth === 1;
  await expect.poll(() => tab.page.getByAltText('A pixel').evaluate(isShown)).toBe(true);
  // What the API replies with stays as it is.
  const client = await w.as(ada);
  const issue = await client.get(`/repos/${ada.login}/${repo.name}/issues/1`, {
    headers: { accept: 'application/vnd.service.html+json' },
  });
  expect(issue.body.body_html).toContain(elsewhere.url);
});

test('nobody but this server makes such an address', async () => {
  const before = elsewhere.requests.length;
  const address = signed(elsewhere.url);
  const [, , signature = '', encoded = ''] = address.split('/');
  const other = Buffer.from(`${elsewhere.url}/other`).toString('base64url');
  for (const path of [
    `/_images/${signature}/${other}`,
    `/_images/${signature.slice(1)}/${encoded}`,
    `/_images/x/${encoded}`,
    `/_images//${encoded}`,
    `/_images/${signature}`,
    `/_images/${'A'.repeat(43)}/${encoded}`,
  ])
    expect((await load(path)).status, path).toBe(404);
  expect(elsewhere.requests.length).toBe(before);
});

test.each([
  'http://10.0.0.1/x.png',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]:1/x.png',
  'http://user:secret@127.0.0.1/x.png',
  'ftp://127.0.0.1/x.png',
  'file:///etc/passwd',
])('%s is not asked, by the rules of webhooks', async (url) => {
  expect((await load(signed(url))).status).toBe(502);
});

test('a redirect to such an address is not followed, and none without end', async () => {
  const to = (location: string) => {
    elsewhere.answer = (response) => response.writeHead(302, { location }).end();
  };
  for (const location of ['http://10.0.0.1/x.png', 'file:///etc/passwd', elsewhere.url, 'http://[', '']) {
    to(location);
    expect((await load(signed(elsewhere.url))).status, location).toBe(502);
  }
  elsewhere.answer = (response, { path }) =>
    path === '/hook'
      ? response.writeHead(302, { location: '/moved' }).end()
      : response.writeHead(200, { 'content-type': 'image/png' }).end(png);
  expect((await load(signed(elsewhere.url))).status).toBe(200);
});

test.each([
  ['a page', 200, { 'content-type': 'text/html' }, '<script>x</script>', 502],
  ['a page that claims to be several things', 200, { 'content-type': 'text/html, image/png' }, 'x', 502],
  ['nothing that says what it is', 200, {}, 'x', 502],
  ['an error', 500, { 'content-type': 'image/png' }, 'x', 502],
  ['an image that is too large', 200, { 'content-type': 'image/png' }, 'x'.repeat(101), 413],
  ['an image of that size', 200, { 'content-type': 'image/png' }, 'x'.repeat(100), 200],
  ['an SVG, in a sandbox', 200, { 'content-type': 'image/svg+xml; charset=utf-8' }, '<svg/>', 200],
] as const)('%s', async (_what, status, headers, content, expected) => {
  elsewhere.answer = (response) => response.writeHead(status, { 'set-cookie': 'a=b', ...headers }).end(content);
  const reply = await load(signed(elsewhere.url));
  expect(reply.status).toBe(expected);
  expect(reply.headers.get('set-cookie')).toBeNull();
  if (expected === 200) expect(reply.headers.get('content-security-policy')).toContain('sandbox');
});

test('a server that never ends is left after a time', async () => {
  elsewhere.answer = (response) => void response.writeHead(200, { 'content-type': 'image/png' }).write('x');
  expect((await load(signed(elsewhere.url))).status).toBe(502);
});

test('addresses that are too long are not loaded', () => {
  expect(imageAddress(secrets, `https://x.example/${'a'.repeat(2_000)}`)).toBeUndefined();
});

test('only the addresses of images are replaced, whatever texts and attributes say', () => {
  const images = { own: 'https://here.example', addressOf: () => '/_images/x' };
  const replaced = (text: string) => String(withForeignImages(trustHtml(text), images));
  expect(replaced('<img alt="a > b &quot; src=&quot;" src="https://x.example/?a=1&amp;b=2">')).toBe(
    '<img alt="a > b &quot; src=&quot;" src="/_images/x" loading="lazy">',
  );
  for (const kept of [
    '<img src="/avatars/u/1">',
    '<img src="https://here.example/x.png">',
    '<img src="#">',
    '<img alt="src=https://x.example" title="x src=">',
    '<a href="https://x.example/x.png">https://x.example/x.png</a>',
    String(html`<p title="${'<img src="https://x.example">'}">${'<img src="https://x.example">'}</p>`),
    '<img ',
    '<img src="https://x.example',
  ])
    expect(replaced(kept)).toBe(kept);
  expect(replaced('<img src="https://x.example/1"><p>x</p><img src="https://x.example/2">')).toBe(
    '<img src="/_images/x" loading="lazy"><p>x</p><img src="/_images/x" loading="lazy">',
  );
  // It looks at each character once.
  const long = '<img alt="'.repeat(200_000);
  expect(replaced(long)).toBe(long);
});

test('an address that asks for images without end is refused', async () => {
  const counting = await w.another({ limits: { ...defaultLimits, pages: 2 } });
  elsewhere.answer = (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png);
  const ask = async () => (await counting.app.inject({ url: signed(elsewhere.url), remoteAddress: '192.0.2.7' })).statusCode;
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
});
