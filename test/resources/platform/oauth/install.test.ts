import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { createApp } from '#resources/repositories/apps/index.ts';
import { fresh, world } from '#test/support/world.ts';
import { signedInBrowser } from './accounts.ts';
import { browser } from './browser.ts';

const w = await world({ vocabulary: 'github' });
const setupUrl = 'https://builder.example/setup?from=here';

/** An app, by its page of installation, as if it had been created from a manifest. */
async function appOf(owner: Account, more: object = {}) {
  const manifest = { name: fresh('Builder'), url: 'https://builder.example', redirect_url: 'https://builder.example/back' };
  const text = JSON.stringify({ ...manifest, setup_url: setupUrl, default_permissions: { issues: 'write' }, ...more });
  const { location } = await browser(w.url).submit(
    '/settings/apps/new',
    '',
    { manifest: text },
    { origin: 'https://builder.example' },
  );
  const page = await signedInBrowser(w, owner);
  const form = await page.get(location);
  const back = await page.submit(/action="([^"]+)"/.exec(form.text)?.[1] ?? '', form.text, {
    name: manifest.name,
    answer: 'yes',
  });
  const code = new URL(back.location).searchParams.get('code');
  const { body } = await (await w.as(undefined)).post(`/app-manifests/${code}/conversions`);
  return { id: body.id as number, path: `/apps/${body.slug}/installations/new`, asked: form.text };
}

const installationsOf = (app: number) =>
  w.db
    .selectFrom('installations as i')
    .innerJoin('accounts as a', 'a.id', 'i.account_id')
    .select(['i.id', 'a.login', 'i.repository_selection'])
    .where('i.app_id', '=', app as never)
    .orderBy('i.id')
    .execute();

test('an owner installs an app on an organization, and is sent to its setup URL', async () => {
  const owner = await w.user();
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner });
  const { id, path, asked } = await appOf(owner, { public: true });
  expect(asked).toContain(setupUrl);
  const page = await signedInBrowser(w, owner);
  const form = await page.get(`${path}?state=a%26b`);
  expect(form.status).toBe(200);
  for (const shown of ['issues: write', org.login, owner.login]) expect(form.text).toContain(`>${shown}<`);
  const refused = await page.submit(path, form.text, { answer: 'yes', account: org.login, repositories: `${repo.name}, none` });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain(`${org.login} has no repository none`);
  expect(await installationsOf(id)).toEqual([]);

  const sent = await page.submit(`${path}?state=a%26b`, form.text, {
    answer: 'yes',
    account: org.login,
    repositories: repo.name,
  });
  const [installation] = await installationsOf(id);
  expect(installation).toMatchObject({ login: org.login, repository_selection: 'selected' });
  expect(sent.status).toBe(303);
  expect(Object.fromEntries(new URL(sent.location).searchParams)).toEqual({
    from: 'here',
    installation_id: String(installation?.id),
    setup_action: 'install',
    state: 'a&b',
  });
  const { rows } =
    await sql`select repository_id from installation_repositories where installation_id = ${installation?.id}`.execute(w.db);
  expect(rows).toEqual([{ repository_id: repo.id }]);
  const again = await page.submit(path, form.text, { answer: 'yes', account: org.login });
  expect(again.status).toBe(422);
  expect(again.text).toContain('installed on');
});

test('without a setup URL, the page of the installation follows', async () => {
  const owner = await w.user();
  const { id, path } = await appOf(owner, { setup_url: undefined });
  const page = await signedInBrowser(w, owner);
  const sent = await page.submit(path, (await page.get(path)).text, { answer: 'yes', account: owner.login });
  const [installation] = await installationsOf(id);
  expect(installation).toMatchObject({ login: owner.login, repository_selection: 'all' });
  expect(sent).toMatchObject({ status: 303, location: `/settings/installations/${installation?.id}` });
  expect((await page.get(sent.location)).status).toBe(200);
});

test('only those install an app who may: owners of the account, and of the app if it is not public', async () => {
  const [owner, other] = [await w.user(), await w.user()];
  const org = await w.org(owner);
  await w.member(org, other);
  const { id, path } = await appOf(owner);
  const shared = await appOf(owner, { public: true });
  const theirs = await signedInBrowser(w, other);
  expect((await theirs.get(path)).status).toBe(404);
  expect((await theirs.get('/apps/none/installations/new')).status).toBe(404);
  expect((await browser(w.url).get(path)).location).toContain('/login?return_to=');
  const own = await signedInBrowser(w, owner);
  const ownForm = await own.get(path);
  // The organization isn't the owner of the app, which is not public.
  expect((await own.submit(path, ownForm.text, { answer: 'yes', account: org.login })).status).toBe(422);
  const form = await theirs.get(shared.path);
  expect(form.text).not.toContain(`>${org.login}<`);
  expect((await theirs.submit(path, form.text, { answer: 'yes', account: other.login })).status).toBe(404);
  expect((await theirs.submit(shared.path, form.text, { answer: 'yes', account: org.login })).status).toBe(422);
  expect((await theirs.submit(shared.path, ownForm.text, { answer: 'yes', account: other.login })).status).toBe(403);
  expect((await theirs.submit(shared.path, form.text, { answer: 'no', account: other.login })).status).toBe(200);
  const elsewhere = { origin: 'https://builder.example' };
  const forged = await theirs.submit(shared.path, form.text, { answer: 'yes', account: other.login }, elsewhere);
  expect(forged.status).toBe(403);
  expect([...(await installationsOf(id)), ...(await installationsOf(shared.id))]).toEqual([]);
});

test('an app that asks for something else by now is not installed, and its page is shown again', async () => {
  const owner = await w.user();
  const { id, path } = await appOf(owner);
  const page = await signedInBrowser(w, owner);
  const form = await page.get(path);
  await sql`update apps set permissions = '{"issues": "read"}', updated_at = updated_at + interval '1 second'
    where id = ${id}`.execute(w.db);
  const refused = await page.submit(path, form.text, { answer: 'yes', account: owner.login });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('issues: read');
  expect(await installationsOf(id)).toEqual([]);
});

test('a setup URL that no browser could go to is refused', async () => {
  const owner = await w.user();
  const wanted = { owner, kind: 'app', name: fresh('Bot'), externalUrl: 'https://builder.example', now: w.clock.now } as const;
  for (const wrong of ['javascript:alert(1)', 'https://', '/setup'])
    await expect(w.change((scope) => createApp(scope, { ...wanted, setupUrl: wrong }))).rejects.toMatchObject({
      errors: [{ field: 'setup_url' }],
    });
});
