import { expect, test } from 'vitest';
import { allPages } from '#console/all.ts';
import type { PageRequest } from '#console/page.ts';
import { linksOf } from '#endpoint/links.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { pageRouterOf } from '#server/console/pages-router.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('every word of an endpoint that a page reads is one of the page’s, or is given', () => {
  const wrong = allPages.flatMap((page) => {
    const names = wordsOf(page.path.replace('*}', '}'));
    const words = Object.fromEntries(names.map((name) => [name, 'x']));
    const request: PageRequest = {
      words,
      query: {},
      address: '/',
      person: undefined,
      links: linksOf(w.url),
      now: w.clock.now,
      csrf: '',
    };
    const reads = Object.values({ ...page.frame.reads(request), ...page.reads(request) }).filter((read) => read !== undefined);
    return reads.flatMap(({ endpoint, words: own = {} }) =>
      wordsOf(endpoint.path)
        .filter((word) => !names.includes(word) && !(word in own))
        .map((word) => `${page.path} reads ${endpoint.path} without ${word}`),
    );
  });
  expect(wrong).toEqual([]);
});

test('no two pages have the same address', () => {
  expect(() => pageRouterOf(allPages)).not.toThrow();
});

test('a page is read by who may read what it shows; for others it is as if it did not exist', async () => {
  const [ada, eve] = [await w.user(), await w.user()];
  const repo = await w.repo(ada, { visibility: 'private' });
  const path = `/${ada.login}/${repo.name}`;
  const shown = await (await pagesAs(w, ada)).get(path);
  expect(shown).toMatchObject({ status: 200 });
  expect(shown.text).toContain(repo.name);
  const hidden = await (await pagesAs(w, eve)).get(path);
  const absent = await (await pagesAs(w, eve)).get(`/${ada.login}/absent`);
  const withoutAddress = (text: string) => text.replaceAll(encodeURIComponent(path), '').replaceAll(path, '');
  expect([hidden.status, absent.status]).toEqual([404, 404]);
  expect(withoutAddress(hidden.text).length).toBe(withoutAddress(absent.text.replaceAll('absent', repo.name)).length);
  const visitor = await (await pagesAs(w)).get(path);
  expect(visitor.status).toBe(404);
  expect(visitor.text).toContain(`/login?return_to=${encodeURIComponent(path)}`);
});

test('pages set no access for other origins, and forbid scripts and frames of others', async () => {
  const { headers } = await (await pagesAs(w)).get('/');
  expect(headers.get('access-control-allow-origin')).toBeNull();
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers.get('cache-control')).toBe('private, no-cache');
});

test('programs that want JSON are told where the API is', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const response = await fetch(`${w.url}/${ada.login}/${repo.name}`, { headers: { accept: 'application/json' } });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ message: `This is the address of a page. The API is at ${w.url}/api/v3` });
});

test('the former name of a repository leads to the present one', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  await (await w.as(ada)).patch(`/repos/${ada.login}/${repo.name}`, { name: `${repo.name}-new` });
  const { status, headers } = await (await pagesAs(w)).get(`/${ada.login}/${repo.name}/issues/1?x=1`);
  expect([status, headers.get('location')]).toEqual([301, `/${ada.login}/${repo.name}-new/issues/1?x=1`]);
});

test('a session never works below /api', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'private' });
  const pages = await pagesAs(w, ada);
  expect((await pages.get(`/api/v3/repos/${ada.login}/${repo.name}`)).status).toBe(404);
  expect((await pages.get('/api/v3/user')).status).toBe(401);
});
