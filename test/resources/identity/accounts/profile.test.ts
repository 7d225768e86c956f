import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { sshKey } from '#test/support/ssh-key.ts';
import { world } from '#test/support/world.ts';

const { as, user } = await world();

test('people say who they are, everybody reads it, and what is not named stays', async () => {
  const ada = await user();
  const client = await as(ada);
  const profile = {
    name: 'Ada Lovelace',
    blog: 'https://ada.example',
    company: 'Engines',
    location: 'London',
    bio: 'Writes programs.',
    hireable: true,
    twitter_username: 'ada',
  };
  expect((await client.patch('/user', profile)).body).toMatchObject(profile);
  expect((await client.patch('/user', { bio: 'Wrote programs.', hireable: false })).status).toBe(200);
  const { body } = await (await as(await user())).get(`/users/${ada.login}`);
  expect(body).toMatchObject({ ...profile, bio: 'Wrote programs.', hireable: false });
});

test('a key is shown by the title that it was added with', async () => {
  const client = await as(await user());
  const { status, body } = await client.post('/user/keys', { title: 'Laptop', key: sshKey(randomBytes(32)) });
  expect([status, body.title]).toEqual([201, 'Laptop']);
  expect((await client.get('/user/keys')).body).toMatchObject([{ id: body.id, title: 'Laptop' }]);
});
