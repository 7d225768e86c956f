import { expect, test } from 'vitest';
import { allForms, allPages } from '#console/all.ts';
import { allEndpoints } from '#resources/all.ts';
import { isReservedLogin } from '#resources/identity/accounts/index.ts';
import { world } from '#test/support/world.ts';

const here = await world();

test('no account can have the name of a path of the server', () => {
  // In this tree, everything is below `/`, and lines of the next level are indented once.
  const lines = here.hearth.app.printRoutes({ commonPrefix: false }).split('\n');
  const segments = lines
    .map((line) => /^ {4}[├└]── ([a-z][a-z\d-]*)/i.exec(line)?.[1])
    .filter((segment) => segment !== undefined);
  expect(segments).toEqual(expect.arrayContaining(['api', 'login', 'settings', 'organizations', 'healthz']));
  expect(segments.filter((segment) => !isReservedLogin(segment))).toEqual([]);
});

test('no account can have the name of a page or a form, or of an address that replies name', () => {
  const paths = [...allPages, ...allForms, ...allEndpoints].map(({ path }) => path);
  const first = new Set(paths.map((path) => path.split('/')[1] ?? '').filter((word) => /^[a-z][a-z\d-]*$/.test(word)));
  expect([...first]).toEqual(expect.arrayContaining(['settings', 'orgs', 'notifications', 'search', 'advisories']));
  expect([...first].filter((word) => !isReservedLogin(word))).toEqual([]);
});

test('the owner of the actions that workflows name is no account that somebody makes by the API', async () => {
  const admin = await here.user(undefined, { site_admin: true });
  const client = await here.as(await here.token(admin, ['site_admin']));
  const refused = { status: 422, body: { errors: [{ field: 'login', code: 'invalid' }] } };
  await here.unchanged(['accounts'], async () => {
    for (const login of ['actions', 'Actions', 'logout', 'enterprises']) {
      expect(await client.post('/admin/users', { login, email: 'a@example.org' })).toMatchObject(refused);
      expect(await client.post('/admin/organizations', { login, admin: admin.login })).toMatchObject(refused);
    }
  });
});
