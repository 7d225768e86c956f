import { describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { fresh, world } from '#test/support/world.ts';
import { password, signedInBrowser } from './accounts.ts';
import { browser } from './browser.ts';

const w = await world({ vocabulary: 'github' });
const { as, user, org, member, url, clock, db } = w;
const elsewhere = { origin: 'https://builder.example' };

const manifestOf = (more: object = {}) => ({
  name: fresh('Builder'),
  url: 'https://builder.example',
  redirect_url: 'https://builder.example/back?from=here',
  hook_attributes: { url: 'https://builder.example/hook' },
  default_permissions: { issues: 'write' },
  default_events: ['issues'],
  ...more,
});

type Browser = ReturnType<typeof browser>;

/** Sends a manifest as the form of another site does; browsers send no cookie of ours with it. */
async function send(
  manifest: unknown,
  path = '/settings/apps/new?state=a%26b',
): Promise<{ status: number; location: string; text: string }> {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  return browser(url).submit(path, '', { manifest: text }, elsewhere);
}

const nameIn = (page: string): string => / name="name" value="([^"]*)"/.exec(page)?.[1] ?? '';

const answer = (page: Browser, form: string, filled: Record<string, string>, headers?: Record<string, string>) =>
  page.submit(/action="([^"]+)"/.exec(form)?.[1] ?? '', form, { name: nameIn(form), ...filled }, headers);

/** The page on which a signed-in user is asked. */
async function asked(who: Account, manifest: unknown, path?: string) {
  const { status, location } = await send(manifest, path);
  expect(status).toBe(303);
  const page = await signedInBrowser(w, who);
  const form = await page.get(location);
  return { page, form, location };
}

const convert = async (location: string) =>
  (await as(undefined)).post(`/app-manifests/${new URL(location).searchParams.get('code')}/conversions`);

test('a site sends a manifest, its visitor signs in, chooses a name and comes back with a code for the app', async () => {
  const ada = await user();
  await signedInBrowser(w, ada);
  const { location } = await send(manifestOf());
  const page = browser(url);
  const toLogin = await page.get(location);
  expect(toLogin.status).toBe(302);
  const signedIn = await page.submit('/login', (await page.get(toLogin.location)).text, { login: ada.login, password });
  expect(signedIn).toMatchObject({ status: 303, location });

  const form = await page.get(location);
  expect(form.status).toBe(200);
  for (const shown of ['builder.example', ada.login, 'issues: write', 'https://builder.example/hook'])
    expect(form.text).toContain(shown);
  const name = fresh('Chosen by Ada');
  const back = await answer(page, form.text, { name: ` ${name} `, answer: 'yes' });
  expect(back.status).toBe(303);
  expect(back.location).toMatch(/^https:\/\/builder\.example\/back\?from=here&code=hmc_\w+&state=a%26b$/);
  const made = await convert(back.location);
  expect(made).toMatchObject({
    status: 201,
    body: { name, owner: { login: ada.login }, permissions: { issues: 'write' }, events: ['issues'], pem: expect.any(String) },
  });
  expect((await page.get(location)).status).toBe(404);
  expect((await answer(page, form.text, { answer: 'yes' })).status).toBe(404);
});

test('an app of an organization is created by its owners alone', async () => {
  const [ada, carl, stranger] = [await user(), await user(), await user()];
  const acme = await org(ada);
  await member(acme, carl);
  const path = `/organizations/${acme.login}/settings/apps/new`;
  const { page, form, location } = await asked(ada, manifestOf(), path);
  for (const other of [carl, stranger]) {
    const theirs = await signedInBrowser(w, other);
    expect((await theirs.get(location)).status).toBe(404);
    const own = await asked(other, manifestOf());
    const forged = own.form.text.replace(/action="[^"]+"/, `action="${path}/confirm"`);
    expect((await answer(own.page, forged, { answer: 'yes' })).status).toBe(404);
  }
  const back = await answer(page, form.text, { answer: 'yes' });
  expect(new URL(back.location).searchParams.has('state')).toBe(false);
  expect((await convert(back.location)).body.owner.login).toBe(acme.login);
  expect((await asked(ada, manifestOf(), `/organizations/${fresh('none')}/settings/apps/new`)).form.status).toBe(404);
});

describe('the name', () => {
  test('that is taken or that none may have is asked for again, and then the app is created', async () => {
    const ada = await user();
    const { page, form } = await asked(ada, manifestOf({ name: 'Twice used' }));
    await convert((await answer(page, form.text, { answer: 'yes' })).location);
    const again = await asked(ada, manifestOf({ name: 'Twice used' }));
    const refused = await answer(again.page, again.form.text, { answer: 'yes' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('The name of the app is taken already.');
    for (const name of ['', '???', 'x'.repeat(35)])
      expect((await answer(again.page, refused.text, { name, answer: 'yes' })).status).toBe(422);
    const back = await answer(again.page, refused.text, { name: fresh('Once used'), answer: 'yes' });
    expect((await convert(back.location)).status).toBe(201);
  });

  test.each([
    [undefined, 'New app'],
    ['', 'New app'],
    ['"><b>', '&quot;&gt;&lt;b&gt;'],
    ['x'.repeat(40), 'x'.repeat(34)],
  ])('%j of the manifest is offered as %j', async (name, shown) => {
    const { form } = await asked(await user(), manifestOf({ name }));
    expect(nameIn(form.text)).toBe(shown);
    expect(form.text).not.toContain('<b>');
  });
});

test('a form of another site, an old form and a refusal create nothing', async () => {
  const ada = await user();
  const { page, form, location } = await asked(ada, manifestOf());
  const count = async () => (await db.selectFrom('app_manifest_codes').select('hash').execute()).length;
  const before = await count();
  expect((await answer(page, form.text, { answer: 'yes' }, elsewhere)).status).toBe(403);
  expect((await answer(page, form.text, { answer: 'yes', csrf: 'guessed' })).status).toBe(403);
  expect((await answer(browser(url), form.text, { answer: 'yes' })).status).toBe(403);
  const refused = await answer(page, form.text, { answer: 'no' });
  expect([refused.status, refused.location]).toEqual([200, '']);
  expect((await page.get(location)).status).toBe(404);
  const late = await asked(ada, manifestOf());
  const now = clock.now;
  clock.now = new Date(now.getTime() + 61 * 60_000);
  expect((await answer(late.page, late.form.text, { answer: 'yes' })).status).toBe(404);
  clock.now = now;
  expect(await count()).toBe(before);
});

test.each([
  ['nothing', ''],
  ['no JSON', '{'],
  ['a list', '[]'],
  ['no address', { url: undefined }],
  ['nowhere to go back to', { redirect_url: undefined }],
  ['a way back that is no web page', { redirect_url: 'javascript:alert(1)' }],
  ['a way back that is no address', { redirect_url: 'https://' }],
  ['an unknown permission', { default_permissions: { nonsense: 'write' } }],
  ['an unknown event', { default_events: ['nonsense'] }],
  ['a NUL', { description: 'a\0b' }],
  ['half a character', { description: '\ud800' }],
])('a manifest with %s is refused with a page that says why', async (_what, wrong) => {
  const reply = await send(typeof wrong === 'string' ? wrong : manifestOf(wrong));
  expect(reply.status).toBe(422);
  expect(reply.text).toMatch(/<p>[^<]{10,}<\/p>/);
});

test('a manifest that is too large is refused, and so is one more than fifty in a quarter of an hour', async () => {
  const large = await send(manifestOf({ description: 'x'.repeat(70_000) }));
  expect([large.status, large.text]).toEqual([413, expect.stringMatching(/<h1>This is too large<\/h1>/)]);
  let status = 303;
  for (let sent = 0; sent < 60 && status === 303; sent++) ({ status } = await send(manifestOf()));
  expect(status).toBe(429);
});
