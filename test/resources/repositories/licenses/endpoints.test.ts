import { expect, test } from 'vitest';
import { licenses } from '#resources/repositories/licenses/catalogue.ts';
import { recognizeLicense } from '#resources/repositories/licenses/matching.ts';
import { world } from '#test/support/world.ts';

const { as, url } = await world();

test('the licences that a repository can begin with, in pages, to everybody', async () => {
  const client = await as(undefined);
  const { status, body } = await client.get('/licenses');
  expect(status).toBe(200);
  expect(body).toHaveLength(15);
  expect(body.find(({ key }: { key: string }) => key === 'mit')).toEqual({
    key: 'mit',
    name: 'MIT License',
    spdx_id: 'MIT',
    url: `${url}/api/v3/licenses/mit`,
    node_id: Buffer.from('07:Licensemit').toString('base64'),
  });
  const keys = async (query: string) => (await client.get(`/licenses?${query}`)).body.map(({ key }: { key: string }) => key);
  expect(await keys('featured=true')).toEqual(['apache-2.0', 'gpl-3.0', 'mit']);
  expect(await keys('featured=false')).toHaveLength(12);
  expect(await keys('per_page=4&page=4')).toEqual(['mit', 'mpl-2.0', 'unlicense']);
  expect((await client.get('/licenses?per_page=4')).headers.link).toContain('rel="next"');
  expect((await client.get('/licenses?featured=perhaps')).status).toBe(422);
});

test('one licence, in whatever case, with its terms and a text that is recognized as it', async () => {
  const { status, body } = await (await as(undefined)).get('/licenses/AGPL-3.0');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    key: 'agpl-3.0',
    name: 'GNU Affero General Public License v3.0',
    spdx_id: 'AGPL-3.0',
    url: `${url}/api/v3/licenses/agpl-3.0`,
    html_url: 'https://spdx.org/licenses/AGPL-3.0-only.html',
    permissions: ['commercial-use', 'modifications', 'distribution', 'private-use', 'patent-use'],
    conditions: ['include-copyright', 'document-changes', 'disclose-source', 'same-license', 'network-use-disclose'],
    limitations: ['liability', 'warranty'],
    featured: false,
  });
  expect(recognizeLicense(body.body)?.key).toBe('agpl-3.0');
});

test('every licence that a repository can have is there', async () => {
  const client = await as(undefined);
  for (const { key } of licenses) {
    const { status, body } = await client.get(`/licenses/${key}`);
    expect(status, key).toBe(200);
    expect(body, key).toMatchObject({ key, url: `${url}/api/v3/licenses/${key}` });
    expect(body.description, key).toMatch(/^[A-Z].{20,}\.$/);
  }
});

test.each(['other', 'nonsense', 'constructor', '..%2fmit'])('there is no licence %s', async (key) => {
  expect((await (await as(undefined)).get(`/licenses/${key}`)).status).toBe(404);
});
