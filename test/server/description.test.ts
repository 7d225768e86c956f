import { expect, test } from 'vitest';
import { allEndpoints } from '#resources/all.ts';
import { world } from '#test/support/world.ts';

const { url } = await world();

test('the description is served, and says where the API answers', async () => {
  const reply = await fetch(`${url}/api/v3/openapi.json`);
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { openapi, servers, paths } = (await reply.json()) as {
    openapi: string;
    servers: object[];
    paths: Record<string, object>;
  };
  expect([reply.status, openapi, servers]).toEqual([200, '3.1.0', [{ url: `${url}/api/v3` }]]);
  expect(Object.values(paths).flatMap((methods) => Object.keys(methods))).toHaveLength(allEndpoints.length);
});

test('the front page links the reference page', async () => {
  const page = await fetch(url);
  expect([page.status, page.url]).toEqual([200, `${url}/`]);
  expect(await page.text()).toContain('<a href="/docs/">API</a>');
});

test('the reference page loads nothing from elsewhere', async () => {
  const page = await fetch(`${url}/docs`);
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'text/html']);
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target = '']) => new URL(target, page.url));
  expect(loaded.length).toBeGreaterThan(0);
  for (const { href, origin } of loaded) {
    expect([href, origin]).toEqual([href, url]);
    expect((await fetch(href)).status).toBe(200);
  }
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/=]+';/); // of the one script that stands in the page
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
});
