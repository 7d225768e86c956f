import { describe, expect, test } from 'vitest';
import { verifyEmail } from '#resources/identity/accounts/index.ts';
import { newKey } from '#test/lib/openpgp/build.ts';
import { changedKey, plainKey } from '#test/lib/openpgp/keys.ts';
import { fresh, world } from '#test/support/world.ts';

const { as, user, change, clock, token, fineGrained, statements, unchanged } = await world();

test('a key is shown with its subkeys, and with the addresses that are verified for its user', async () => {
  const ada = await user();
  const client = await as(ada);
  await change((scope) => verifyEmail(scope, { user: ada, email: 'Ada@Example.org', now: clock.now }));
  await change(async (scope) => verifyEmail(scope, { user: await user(), email: 'countess@example.org', now: clock.now }));
  const made = await client.post('/user/gpg_keys', { name: 'laptop', armored_public_key: changedKey });
  expect(made).toMatchObject({ status: 201 });
  expect(made.body).toEqual({
    id: expect.any(Number),
    name: 'laptop',
    primary_key_id: null,
    key_id: 'FBFA81119817EAE1',
    public_key: expect.stringMatching(/^xjME/),
    emails: expect.arrayContaining([
      { email: 'countess@example.org', verified: false },
      { email: 'ada@example.org', verified: true },
    ]),
    can_sign: true,
    can_encrypt_comms: false,
    can_encrypt_storage: false,
    can_certify: true,
    created_at: '2026-01-01T00:00:00Z',
    expires_at: '2045-01-29T00:00:00Z',
    revoked: false,
    raw_key: changedKey,
    subkeys: [
      expect.objectContaining({ primary_key_id: made.body.id, key_id: '6B2EDE742C74E33D', revoked: true, raw_key: null }),
      expect.objectContaining({
        key_id: '6114B8D64B51EB13',
        can_sign: true,
        emails: [],
        subkeys: [],
        expires_at: '2027-02-03T00:00:00Z',
      }),
    ],
  });
  const path = `/user/gpg_keys/${made.body.id}`;
  expect((await client.get(path)).body).toEqual(made.body);
  expect((await client.get('/user/gpg_keys')).body).toEqual([made.body]);
  expect((await (await as(undefined)).get(`/users/${ada.login}/gpg_keys`)).body).toEqual([made.body]);
  expect((await client.get(`/user/gpg_keys/${made.body.subkeys[0].id}`)).status).toBe(404);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.get('/user/gpg_keys')).body).toEqual([]);
});

test('a key is added once by an account, and is not lost to a stranger who adds it first', async () => {
  const stranger = await as(await user());
  expect((await stranger.post('/user/gpg_keys', { armored_public_key: plainKey })).status).toBe(201);
  const client = await as(await user());
  expect((await client.post('/user/gpg_keys', { armored_public_key: plainKey })).status).toBe(201);
  await unchanged(['gpg_keys', 'events'], async () => {
    const again = await client.post('/user/gpg_keys', { armored_public_key: changedKey });
    expect(again).toMatchObject({ status: 422, body: { errors: [{ resource: 'GpgKey', code: 'already_exists' }] } });
  });
});

test.each([
  ['no key', 'gibberish'],
  ['a private key', plainKey.replaceAll('PUBLIC', 'PRIVATE')],
  ['a truncated key', plainKey.split('\n').toSpliced(5, 1).join('\n')],
  ['a text that is too long', plainKey + '\n'.repeat(65_536)],
  ['nothing', ''],
])('%s is refused by its field, and nothing is written', async (_what, armored_public_key) => {
  const client = await as(await user());
  await unchanged(['gpg_keys', 'events'], async () => {
    expect(await client.post('/user/gpg_keys', { armored_public_key })).toMatchObject({
      status: 422,
      body: { errors: [{ resource: 'GpgKey', field: 'armored_public_key' }] },
    });
  });
});

test('an account has fifty keys at most', async () => {
  const client = await as(await user());
  const add = async () => (await client.post('/user/gpg_keys', { armored_public_key: newKey() })).status;
  for (let count = 0; count < 50; count++) expect(await add()).toBe(201);
  expect(await add()).toBe(422);
});

describe('credentials', () => {
  test('need the right for what they ask', async () => {
    const ada = await user();
    const { body } = await (await as(ada)).post('/user/gpg_keys', { armored_public_key: newKey() });
    const ask = async (credential: string) => {
      const client = await as(credential);
      const statuses = [await client.get('/user/gpg_keys')];
      statuses.push(await client.post('/user/gpg_keys', { armored_public_key: newKey() }));
      statuses.push(await client.delete(`/user/gpg_keys/${body.id + 1_000_000}`));
      return statuses.map(({ status }) => status);
    };
    expect(await ask(await token(ada, ['user', 'repo']))).toEqual([403, 403, 403]);
    expect(await ask(await token(ada, ['read:gpg_key']))).toEqual([200, 403, 403]);
    expect(await ask(await token(ada, ['write:gpg_key']))).toEqual([200, 201, 403]);
    expect(await ask(await token(ada, ['admin:gpg_key']))).toEqual([200, 201, 404]);
    expect(await ask(await fineGrained(ada, ada, { git_ssh_keys: 'write' }))).toEqual([403, 403, 403]);
    expect(await ask(await fineGrained(ada, ada, { gpg_keys: 'read' }))).toEqual([200, 403, 403]);
    expect(await ask(await fineGrained(ada, ada, { gpg_keys: 'write' }))).toEqual([200, 201, 404]);
  });

  test('reach no key of another account', async () => {
    const { body } = await (await as(await user())).post('/user/gpg_keys', { armored_public_key: newKey() });
    const other = await as(await user());
    expect((await other.get(`/user/gpg_keys/${body.id}`)).status).toBe(404);
    expect((await other.delete(`/user/gpg_keys/${body.id}`)).status).toBe(404);
  });
});

test('a list of one key and one of many take as many statements', async () => {
  const ada = await user();
  const client = await as(ada);
  const add = (subkeys: number) =>
    client.post('/user/gpg_keys', { armored_public_key: newKey([`${fresh('a')}@example.org`, 'b@example.org'], subkeys) });
  await add(1);
  const few = await statements(ada, '/user/gpg_keys');
  for (let count = 0; count < 20; count++) await add(3);
  expect(await statements(ada, '/user/gpg_keys')).toBe(few);
  expect(few).toBe(4);
});
