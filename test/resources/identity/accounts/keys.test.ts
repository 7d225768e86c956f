import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user } = await world();

test('a truncated key is refused by its field, and nothing is written', async () => {
  const client = await as(await user());
  const blob = Buffer.concat([
    Buffer.from('0000000b', 'hex'),
    Buffer.from('ssh-ed25519'),
    Buffer.from('00000020', 'hex'),
    randomBytes(32),
  ]);
  for (const length of [20, 40, 50]) {
    const key = `ssh-ed25519 ${blob.subarray(0, length).toString('base64')}`;
    const refused = await client.post('/user/keys', { key });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ resource: 'PublicKey', field: 'key', code: 'invalid' }] } });
  }
  expect((await client.get('/user/keys')).body).toEqual([]);
  const made = await client.post('/user/keys', { key: `ssh-ed25519 ${blob.toString('base64')} laptop` });
  expect(made.status).toBe(201);
  expect(await client.get(`/user/keys/${made.body.id}`)).toMatchObject({ status: 200, body: made.body });
});
