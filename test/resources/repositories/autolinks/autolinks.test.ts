import { expect, test } from 'vitest';
import { fixedValue } from '#lib/limits.ts';
import { autolinkLimits } from '#resources/repositories/autolinks/limits.ts';
import { world } from '#test/support/world.ts';

const here = await world();

async function setting() {
  const owner = await here.user();
  const repo = await here.repo(owner);
  const client = await here.as(owner);
  return { owner, repo, client, path: `/repos/${owner.login}/${repo.name}/autolinks` };
}

const wanted = { key_prefix: 'TICKET-', url_template: 'https://tickets.example/<num>?from=engine' };

test('an autolink is created, read, listed and deleted', async () => {
  const { client, path } = await setting();
  const created = await client.post(path, wanted);
  expect(created).toMatchObject({ status: 201, body: { ...wanted, is_alphanumeric: true, updated_at: expect.any(String) } });
  const { body } = created;
  const numeric = { key_prefix: 'BUG#', url_template: 'http://bugs.example/<num>', is_alphanumeric: false };
  const second = await client.post(path, numeric);
  expect(second).toMatchObject({ status: 201, body: numeric });
  expect(await client.get(path)).toMatchObject({ status: 200, body: [body, second.body] });
  expect(await client.get(`${path}/${body.id}`)).toMatchObject({ status: 200, body });
  expect((await client.delete(`${path}/${body.id}`)).status).toBe(204);
  expect((await client.get(`${path}/${body.id}`)).status).toBe(404);
  expect(await client.get(path)).toMatchObject({ body: [second.body] });
});

test.each([
  [{ key_prefix: 'TICKET1' }, 'key_prefix', 'invalid'],
  [{ key_prefix: 'a b-' }, 'key_prefix', 'invalid'],
  [{ key_prefix: '<num>' }, 'key_prefix', 'invalid'],
  [{ url_template: 'https://tickets.example/' }, 'url_template', 'invalid'],
  [{ url_template: 'javascript:alert(<num>)' }, 'url_template', 'invalid'],
  [{ url_template: '/tickets/<num>' }, 'url_template', 'invalid'],
  [{ key_prefix: 'ticket-' }, 'key_prefix', 'already_exists'],
  [{ key_prefix: 'TICKET-B-' }, 'key_prefix', 'already_exists'],
  [{ key_prefix: 'TICK' }, 'key_prefix', 'already_exists'],
])('%j is refused, and changes nothing', async (change, field, code) => {
  const { client, path } = await setting();
  await client.post(path, wanted);
  await here.unchanged(['autolinks', 'events'], async () => {
    const refused = await client.post(path, { ...wanted, key_prefix: 'OTHER-', ...change });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ resource: 'KeyLink', field, code }] } });
  });
});

test('of two with the same prefix at once, one is created', async () => {
  const { client, path } = await setting();
  const replies = await Promise.all([1, 2, 3].map(() => client.post(path, wanted)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
});

test('a repository has a limited number of them', async () => {
  const { client, path, repo } = await setting();
  const now = here.clock.now;
  const rows = Array.from({ length: fixedValue(autolinkLimits.autolinks) }, (_, at) => ({
    repository_id: repo.id,
    key_prefix: `p${at}:`,
    url_template: wanted.url_template,
    is_alphanumeric: true,
    created_at: now,
    updated_at: now,
  }));
  await here.db.insertInto('autolinks').values(rows).execute();
  const refused = await client.post(path, wanted);
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ message: expect.stringContaining('500') }] } });
});

test('administrators alone know of them', async () => {
  const { repo, owner, path } = await setting();
  const writer = await here.user();
  await here.collaborator(repo, writer, 'write');
  const client = await here.as(writer);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.post(path, wanted)).status).toBe(403);
  expect((await (await here.as(owner)).get(path)).status).toBe(200);
});
