import { describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { agree, exchangeCode, refreshToken } from '#resources/platform/oauth/rules.ts';
import {
  type AppChange,
  acceptPermissions,
  changeApp,
  createInstallationToken,
  installApp,
} from '#resources/repositories/apps/index.ts';
import { listenAs } from '#test/resources/code/checks/setting.ts';
import { signedInBrowser } from '#test/resources/platform/oauth/accounts.ts';
import { heard } from '#test/resources/platform/webhooks/listening.ts';
import { world } from '#test/support/world.ts';
import { random as randomOf } from '#test/vocabulary/random.ts';
import { ownAppOf } from './client.ts';

const w = await world({ vocabulary: 'github' });
const { as, user, org, repo, change, clock, db } = w;

/** An app that was installed on an organization with these permissions and events. */
async function installed(permissions: Record<string, string>, events: string[] = []) {
  const owner = await user();
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner, visibility: 'private' });
  const { app, client } = await ownAppOf(w, owner);
  const ask = (wanted: AppChange) => {
    clock.now = new Date(clock.now.getTime() + 1000);
    return change((scope) => changeApp(scope, { app, by: owner.id, now: clock.now }, wanted));
  };
  const installOn = (account: Account) =>
    change((scope) => installApp(scope, { app, account, repositories: 'all', by: owner, now: clock.now }));
  await ask({ permissions, events });
  const installation = await installOn(acme);
  const tokenOf = async (wanted?: Record<string, string>) => {
    const { token } = await change((scope) =>
      createInstallationToken(scope, { app, installation, request: wanted ? { permissions: wanted } : {}, now: clock.now }),
    );
    return as(token);
  };
  const accept = () => change((scope) => acceptPermissions(scope, { installation, by: owner.id, now: clock.now }));
  const shown = async () => {
    const { body } = await client.get(`/app/installations/${installation.id}`);
    return [body.permissions, body.events];
  };
  const issues = `/repos/${acme.login}/${engine.name}/issues`;
  return { owner, acme, engine, app, client, ask, installOn, installation, tokenOf, accept, shown, issues };
}

describe('an app that asks for more', () => {
  test('gets it where it is installed anew at once, and elsewhere when the owner accepts', async () => {
    const { client, ask, installOn, tokenOf, accept, shown, issues, installation } = await installed({ issues: 'read' }, [
      'issues',
    ]);
    const bot = await tokenOf();
    const outdated = async (query = '?outdated=true') =>
      (await client.get(`/app/installations${query}`)).body.map(({ id }: { id: number }) => id);
    expect(await outdated()).toEqual([]);
    await ask({ permissions: { issues: 'write', contents: 'read' }, events: ['issues', 'push'] });
    expect((await client.get('/app')).body).toMatchObject({ permissions: { issues: 'write', contents: 'read' } });
    expect(await shown()).toEqual([{ issues: 'read' }, ['issues']]);
    expect((await bot.post(issues, { title: 'Too early' })).status).toBe(403);
    await expect(tokenOf({ contents: 'read' })).rejects.toThrow(/not granted to this installation/);
    const other = await installOn(await user());
    expect(other.permissions).toEqual({ issues: 'write', contents: 'read' });
    expect(await outdated()).toEqual([installation.id]);
    expect(await outdated('?outdated=false')).toHaveLength(2);
    await accept();
    expect(await shown()).toEqual([{ issues: 'write', contents: 'read' }, ['issues', 'push']]);
    expect(await outdated()).toEqual([]);
    expect((await bot.post(issues, { title: 'Now' })).status).toBe(201);
    await expect(accept()).rejects.toThrow(/asks for nothing/);
  });

  test('is told when it was accepted', async () => {
    const { owner, acme, app, ask, accept, installation } = await installed({ metadata: 'read' });
    const target = await listenAs(w, app.id);
    await heard(w, target);
    await ask({ permissions: { metadata: 'read', organization_webhooks: 'read' } });
    expect(await heard(w, target)).toEqual({});
    await accept();
    expect(await heard(w, target)).toMatchObject({
      'installation.new_permissions_accepted': {
        sender: { login: owner.login },
        installation: { id: installation.id, account: { login: acme.login }, permissions: { organization_hooks: 'read' } },
      },
    });
  });

  test('shows on the page of the installation what it asks for, and its owner alone accepts it there', async () => {
    const { owner, acme, ask, shown, client, installation } = await installed({ issues: 'read' });
    await ask({ permissions: { issues: 'write', members: 'read' }, events: ['push'] });
    const { html_url } = (await client.get(`/app/installations/${installation.id}`)).body;
    const path = new URL(html_url).pathname;
    const member = await user();
    await w.member(acme, member);
    await signedInBrowser(w, owner);
    for (const other of [member, await user()]) {
      const theirs = await signedInBrowser(w, other);
      expect((await theirs.get(path)).status).toBe(404);
      expect((await theirs.get(path.replace(/\d+$/, '999999'))).status).toBe(404);
    }
    const page = await signedInBrowser(w, owner);
    const form = await page.get(path);
    for (const text of ['issues: read', 'issues: write', 'members: read', 'the event push']) expect(form.text).toContain(text);
    const stranger = await signedInBrowser(w, member);
    expect((await stranger.submit(path, form.text, { answer: 'yes' })).status).toBe(403);
    expect((await page.submit(path, form.text, { answer: 'no' })).status).toBe(200);
    expect(await shown()).toEqual([{ issues: 'read' }, []]);
    await ask({ permissions: { issues: 'write', members: 'write' }, events: ['push'] });
    const changed = await page.submit(path, form.text, { answer: 'yes' });
    expect([changed.status, changed.text]).toEqual([409, expect.stringContaining('was changed meanwhile')]);
    expect(await shown()).toEqual([{ issues: 'read' }, []]);
    expect((await page.submit(path, changed.text, { answer: 'yes' })).status).toBe(200);
    expect(await shown()).toEqual([{ issues: 'write', members: 'write' }, ['push']]);
    expect((await page.get(path)).text).not.toContain('It asks for more');
  });
});

describe('an app that asks for less', () => {
  test('has less at once, by its tokens too, and what else it asks for waits', async () => {
    const { ask, tokenOf, shown, issues, acme, engine } = await installed(
      { issues: 'write', contents: 'read', members: 'read' },
      ['issues', 'push'],
    );
    const [bot, narrow] = [await tokenOf(), await tokenOf({ issues: 'write' })];
    const commits = `/repos/${acme.login}/${engine.name}/branches`;
    const status = async () => [
      (await bot.post(issues, { title: 'x' })).status,
      (await narrow.post(issues, { title: 'x' })).status,
      (await bot.get(commits)).status,
    ];
    expect(await status()).toEqual([201, 201, 200]);
    await ask({ permissions: { issues: 'read', members: 'write', statuses: 'read' }, events: ['push', 'member'] });
    expect(await shown()).toEqual([{ issues: 'read', members: 'read' }, ['push']]);
    expect(await status()).toEqual([403, 403, 403]);
  });

  test('leaves its installations the lower of both levels, name by name', async () => {
    const { ask, shown, accept } = await installed({});
    const random = randomOf(5);
    const some = () =>
      Object.fromEntries(
        ['issues', 'contents', 'repository_projects']
          .filter(() => random(3) > 0)
          .map((name) => [name, ['read', 'write', 'admin'][random(name === 'repository_projects' ? 3 : 2)] as string]),
      );
    const rank = (level: string) => ['read', 'write', 'admin'].indexOf(level);
    let held: Record<string, string> = {};
    for (let step = 0; step < 20; step++) {
      const asked = some();
      await ask({ permissions: asked });
      const lower = Object.entries(held).flatMap(([name, level]): [string, string][] => {
        const wanted = asked[name];
        return wanted === undefined ? [] : [[name, rank(wanted) < rank(level) ? wanted : level]];
      });
      held = Object.fromEntries(lower);
      expect((await shown())[0]).toEqual(held);
      if (random(2) > 0 || JSON.stringify(Object.entries(asked).sort()) === JSON.stringify(Object.entries(held).sort())) continue;
      await accept();
      held = asked;
    }
  });
});

test("an app's tokens for users have what the users agreed to, and no more by being refreshed", async () => {
  const { app, ask } = await installed({ profile: 'write' });
  const ada = await user();
  const present = async () => db.selectFrom('apps').selectAll().where('id', '=', app.id).executeTakeFirstOrThrow();
  const now = () => clock.now;
  const authorize = async () => {
    const row = await present();
    const code = await change((scope) =>
      agree(scope, { app: row, user: ada, scopes: [], redirectUri: undefined, challenge: undefined, now: now() }),
    );
    const outcome = await change((scope) =>
      exchangeCode(scope, { app: row, code, verifier: undefined, redirectUri: undefined, now: now() }),
    );
    if (!('granted' in outcome)) throw new Error(outcome.problem);
    return outcome.granted;
  };
  const granted = await authorize();
  const may = async (token: string) => [
    (await (await as(token)).patch('/user', { bio: 'Hello' })).status,
    (await (await as(token)).get('/user/keys')).status,
  ];
  expect(await may(granted.token)).toEqual([200, 403]);
  await ask({ permissions: { profile: 'write', git_ssh_keys: 'read' } });
  expect(await may(granted.token)).toEqual([200, 403]);
  const refreshed = await change(async (scope) =>
    refreshToken(scope, { app: await present(), refresh: granted.refresh?.token ?? '', now: now() }),
  );
  if (!('granted' in refreshed)) throw new Error(refreshed.problem);
  expect(await may(refreshed.granted.token)).toEqual([200, 403]);
  expect(await may((await authorize()).token)).toEqual([200, 200]);
  await ask({ permissions: { git_ssh_keys: 'read' } });
  expect(await may(refreshed.granted.token)).toEqual([403, 403]);
});
