import { describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { verifyEmail } from '#resources/identity/accounts/index.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, change, clock, fineGrained, token, statements, unchanged, repo } = w;

const address = (): string => `${fresh('mail')}@example.org`;
const verify = (of: Account, email: string) => change((scope) => verifyEmail(scope, { user: of, email, now: clock.now }));

/** A user with addresses that nobody verified. */
async function stating(...emails: string[]) {
  const ada = await user();
  const client = await as(ada);
  if (emails.length > 0) expect((await client.post('/user/emails', { emails })).status).toBe(201);
  return { ada, client, list: async () => (await client.get('/user/emails')).body };
}

test('addresses are added in each of the two shapes, and are unverified', async () => {
  const { client, list } = await stating();
  const [one, two] = [address(), address()];
  const added = await client.post('/user/emails', { emails: [one, one.toUpperCase()] });
  expect(added).toMatchObject({ status: 201, body: [{ primary: true, verified: false, visibility: 'private' }] });
  expect((await client.post('/user/emails', [two])).body).toEqual([
    { email: two, primary: false, verified: false, visibility: null },
  ]);
  expect((await list()).map(({ email }: { email: string }) => email.toLowerCase())).toEqual([one, two]);
  expect((await client.get('/user/emails?per_page=1&page=2')).body).toMatchObject([{ email: two }]);
});

test.each([
  ['no address', { emails: ['nobody'] }],
  ['an address with a name', { emails: ['Ada <ada@example.org>'] }],
  ['an empty list', { emails: [] }],
  ['nothing', {}],
  ['a number', { emails: [1] }],
])('%s is refused, and nothing is added', async (_what, body) => {
  const { client } = await stating();
  await unchanged(['email_addresses', 'events'], async () => {
    expect((await client.post('/user/emails', body)).status).toBe(422);
    expect((await client.delete('/user/emails', body)).status).toBe(422);
  });
});

test('of several, all are added or none; and an account has fifty at most', async () => {
  const one = address();
  const { client } = await stating(one);
  await unchanged(['email_addresses'], async () => {
    const refused = await client.post('/user/emails', { emails: [address(), one.toUpperCase()] });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ resource: 'UserEmail', field: 'email', code: 'already_exists' }] },
    });
    expect((await client.delete('/user/emails', { emails: [one, address()] })).status).toBe(422);
    expect((await client.post('/user/emails', { emails: Array.from({ length: 50 }, address) })).status).toBe(422);
  });
  expect((await client.post('/user/emails', { emails: Array.from({ length: 49 }, address) })).status).toBe(201);
});

describe('an address that another account verified', () => {
  test('can be stated without a hint that it is known, and not be verified again', async () => {
    const email = address();
    await verify(await user(), email);
    const { ada, client } = await stating();
    const stated = await client.post('/user/emails', { emails: [email] });
    expect(stated).toMatchObject({ status: 201, body: [{ email, verified: false }] });
    await expect(verify(ada, email.toUpperCase())).rejects.toMatchObject({ errors: [{ code: 'already_exists' }] });
    expect((await client.patch('/user/email/visibility', { visibility: 'public' })).status).toBe(422);
    expect((await client.patch('/user', { email })).status).toBe(422);
  });

  test('makes no second user', async () => {
    const admin = await as(await user(undefined, { site_admin: true }));
    const email = address();
    expect((await admin.post('/admin/users', { login: fresh('u'), email })).status).toBe(201);
    await unchanged(['accounts', 'email_addresses'], async () => {
      expect((await admin.post('/admin/users', { login: fresh('u'), email })).status).toBe(422);
    });
  });
});

test('the address that was verified first is the primary one, and shown to those who are signed in while it is public', async () => {
  const [stated, first, second] = [address(), address(), address()];
  const { ada, client, list } = await stating(stated, second, first);
  const profile = async (who?: Account) => (await (await as(who)).get(`/users/${ada.login}`)).body.email;
  expect((await client.patch('/user/email/visibility', { visibility: 'public' })).status).toBe(422);
  await verify(ada, first);
  clock.now = new Date(clock.now.getTime() + 1_000);
  await verify(ada, second);
  expect((await list()).find(({ primary }: { primary: boolean }) => primary)).toEqual({
    email: first,
    primary: true,
    verified: true,
    visibility: 'private',
  });
  expect((await client.get('/user/public_emails')).body).toEqual([]);

  const shown = [{ email: first, primary: true, verified: true, visibility: 'public' }];
  expect((await client.patch('/user/email/visibility', { visibility: 'public' })).body).toEqual(shown);
  expect((await client.get('/user/public_emails')).body).toEqual(shown);
  expect([await profile(await user()), await profile(undefined)]).toEqual([first, null]);

  expect((await client.patch('/user', { email: stated })).status).toBe(422);
  expect((await client.patch('/user', { email: second.toUpperCase() })).body.email).toBe(second);
  expect((await client.get('/user/public_emails')).body).toMatchObject([{ email: second, primary: false, visibility: 'public' }]);

  expect((await client.delete('/user/emails', [second])).status).toBe(204);
  expect(await profile(ada)).toBeNull();
  expect((await client.patch('/user/email/visibility', { visibility: 'public' })).status).toBe(200);
  expect((await client.patch('/user/email/visibility', { visibility: 'private' })).body).toMatchObject([
    { visibility: 'private' },
  ]);
  expect(await profile(ada)).toBeNull();
});

test("commits are an account's by its verified addresses alone, public or not", async () => {
  const [verified, stated] = [address(), address()];
  const { ada } = await stating(stated);
  await verify(ada, verified);
  const owner = await user();
  const { name } = await repo(owner);
  const client = await as(owner);
  const path = `/repos/${owner.login}/${name}`;
  const commit = async (email: string) => {
    const file = { message: `By ${email}`, content: 'YQ==', author: { name: 'Somebody', email } };
    const { body } = await client.put(`${path}/contents/${fresh('file')}.txt`, file);
    return (await client.get(`${path}/commits/${body.commit.sha}`)).body.author?.login ?? null;
  };
  expect([await commit(verified.toUpperCase()), await commit(stated)]).toEqual([ada.login, null]);
  const { body } = await client.get(`${path}/commits?author=${ada.login}`);
  expect(body.map((one: { commit: { message: string } }) => one.commit.message)).toEqual([`By ${verified.toUpperCase()}`]);
});

test('other people, and credentials without the right, see no addresses', async () => {
  const { ada } = await stating(address());
  const asks = async (credential: string | undefined, method: 'get' | 'post' | 'delete') => {
    const client = await as(credential);
    const reply = method === 'get' ? client.get('/user/emails') : client[method]('/user/emails', { emails: [address()] });
    return (await reply).status;
  };
  expect(await asks(undefined, 'get')).toBe(401);
  expect(await asks(await token(ada, ['read:user']), 'get')).toBe(403);
  expect(await asks(await token(ada, ['user:email']), 'get')).toBe(200);
  expect(await asks(await token(ada, ['user:email']), 'post')).toBe(403);
  expect(await asks(await token(ada, ['user']), 'post')).toBe(201);
  expect(await asks(await fineGrained(ada, ada, { profile: 'write' }), 'get')).toBe(403);
  expect(await asks(await fineGrained(ada, ada, { email_addresses: 'read' }), 'get')).toBe(200);
  expect(await asks(await fineGrained(ada, ada, { email_addresses: 'read' }), 'delete')).toBe(403);
  expect((await (await as(await user())).get('/user/emails')).body).toEqual([]);
});

test('a list of one address and one of fifty take as many statements', async () => {
  const { ada, client } = await stating(address());
  const few = await statements(ada, '/user/emails');
  await client.post('/user/emails', { emails: Array.from({ length: 49 }, address) });
  expect(await statements(ada, '/user/emails')).toBe(few);
  expect(few).toBe(2);
});
