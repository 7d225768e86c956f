import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { sshKey } from '#test/support/ssh-key.ts';
import { world } from '#test/support/world.ts';

const { as, user, token, fineGrained, statements, unchanged } = await world();

const newKey = (): string => sshKey(randomBytes(32));

test('a key is added, shown to everybody, and deleted by its user', async () => {
  const ada = await user();
  const client = await as(ada);
  const key = newKey();
  const made = await client.post('/user/ssh_signing_keys', { title: 'laptop', key: `${key} ada@laptop` });
  expect(made).toMatchObject({ status: 201 });
  expect(made.body).toEqual({ id: expect.any(Number), title: 'laptop', key, created_at: '2026-01-01T00:00:00Z' });
  const path = `/user/ssh_signing_keys/${made.body.id}`;
  expect((await client.get(path)).body).toEqual(made.body);
  expect((await client.get('/user/ssh_signing_keys')).body).toEqual([made.body]);
  expect((await (await as(undefined)).get(`/users/${ada.login}/ssh_signing_keys`)).body).toEqual([made.body]);
  const other = await as(await user());
  expect((await other.get(path)).status).toBe(404);
  expect((await other.delete(path)).status).toBe(404);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
});

test('a key may sign and sign in, and is added once by an account', async () => {
  const key = newKey();
  const client = await as(await user());
  expect((await client.post('/user/keys', { key })).status).toBe(201);
  expect((await client.post('/user/ssh_signing_keys', { key })).status).toBe(201);
  await unchanged(['ssh_signing_keys', 'events'], async () => {
    const again = await client.post('/user/ssh_signing_keys', { key });
    expect(again).toMatchObject({
      status: 422,
      body: { errors: [{ resource: 'SshSigningKey', field: 'key', code: 'already_exists' }] },
    });
  });
  expect((await (await as(await user())).post('/user/ssh_signing_keys', { key })).status).toBe(201);
});

test.each([['gibberish'], ['ssh-ed25519 AAAA'], [sshKey(randomBytes(20))], ['']])('%j is refused', async (key) => {
  const client = await as(await user());
  await unchanged(['ssh_signing_keys', 'events'], async () => {
    expect(await client.post('/user/ssh_signing_keys', { key })).toMatchObject({
      status: 422,
      body: { errors: [{ resource: 'SshSigningKey', field: 'key' }] },
    });
  });
});

test('credentials need the right for what they ask', async () => {
  const ada = await user();
  const ask = async (credential: string) => {
    const client = await as(credential);
    const replies = [await client.get('/user/ssh_signing_keys')];
    replies.push(await client.post('/user/ssh_signing_keys', { key: newKey() }));
    replies.push(await client.delete('/user/ssh_signing_keys/1000000'));
    return replies.map(({ status }) => status);
  };
  expect(await ask(await token(ada, ['admin:public_key', 'admin:gpg_key']))).toEqual([403, 403, 403]);
  expect(await ask(await token(ada, ['read:ssh_signing_key']))).toEqual([200, 403, 403]);
  expect(await ask(await token(ada, ['write:ssh_signing_key']))).toEqual([200, 201, 403]);
  expect(await ask(await token(ada, ['admin:ssh_signing_key']))).toEqual([200, 201, 404]);
  expect(await ask(await fineGrained(ada, ada, { git_ssh_keys: 'write' }))).toEqual([403, 403, 403]);
  expect(await ask(await fineGrained(ada, ada, { git_signing_ssh_public_keys: 'read' }))).toEqual([200, 403, 403]);
  expect(await ask(await fineGrained(ada, ada, { git_signing_ssh_public_keys: 'write' }))).toEqual([200, 201, 404]);
});

test('an account has fifty keys at most, and a list of them takes as many statements as one of a single key', async () => {
  const ada = await user();
  const client = await as(ada);
  const add = async () => (await client.post('/user/ssh_signing_keys', { key: newKey() })).status;
  expect(await add()).toBe(201);
  const few = await statements(ada, '/user/ssh_signing_keys');
  for (let count = 1; count < 50; count++) expect(await add()).toBe(201);
  expect(await add()).toBe(422);
  expect([few, await statements(ada, '/user/ssh_signing_keys')]).toEqual([2, 2]);
});
