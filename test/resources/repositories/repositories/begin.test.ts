import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();

test('a repository begins with a README and a licence in its owner’s name', async () => {
  const ada = await w.user(undefined, { name: 'Ada $& Lovelace' });
  const client = await w.as(ada);
  const wanted = { name: 'engine', description: 'Steam', auto_init: true, license_template: 'MIT' };
  expect((await client.post('/user/repos', wanted)).body.license).toMatchObject({ key: 'mit', spdx_id: 'MIT' });
  const path = `/repos/${ada.login}/engine`;
  const names = (await client.get(`${path}/contents/`)).body.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['LICENSE', 'README.md']);
  const raw = { headers: { accept: 'application/vnd.service.raw' } };
  expect((await client.get(`${path}/contents/LICENSE`, raw)).text).toContain('Copyright (c) 2026 Ada $& Lovelace\n');
  expect((await client.get(`${path}/readme`, raw)).text).toBe('# engine\nSteam\n');
  expect((await client.get(`${path}/commits`)).body).toHaveLength(1);
});

test.each(['apache-2.0', 'gpl-3.0', 'lgpl-2.1', 'bsd-3-clause', 'unlicense'])(
  'the licence %s alone is enough to begin with',
  async (key) => {
    const ada = await w.user();
    const client = await w.as(ada);
    await client.post('/user/repos', { name: 'engine', license_template: key });
    const { body } = await client.get(`/repos/${ada.login}/engine/contents/LICENSE`);
    expect(body.size).toBeGreaterThan(1000);
  },
);

test.each([{ auto_init: true }, {}])('a repository begins with a template of what Git ignores, also with %j', async (more) => {
  const ada = await w.user();
  const client = await w.as(ada);
  const { status } = await client.post('/user/repos', { name: 'engine', gitignore_template: 'Node', ...more });
  expect(status).toBe(201);
  const raw = { headers: { accept: 'application/vnd.service.raw' } };
  const { text } = await client.get(`/repos/${ada.login}/engine/contents/.gitignore`, raw);
  expect(text).toBe((await client.get('/gitignore/templates/Node')).body.source);
  expect(text).toContain('\nnode_modules/\n');
});

test.each([
  ['license_template', 'no-such'],
  ['license_template', '../../package'],
  ['license_template', 'constructor'],
  ['gitignore_template', 'no-such'],
  ['gitignore_template', '../endpoints'],
  ['gitignore_template', 'constructor'],
])('refuses the %s %s, and makes nothing', async (field, name) => {
  const client = await w.as(await w.user());
  await w.unchanged(['repositories'], async () => {
    const reply = await client.post('/user/repos', { name: 'engine', auto_init: true, [field]: name });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });
});
