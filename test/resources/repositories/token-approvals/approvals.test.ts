import { describe, expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { allEndpoints } from '#resources/all.ts';
import { explain } from '#server/explain.ts';
import { explainPush } from '#server/explain-push.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';
import { change, demand, demanding, onlyRequest, tokenFor } from './support.ts';

const w = await world();
const { as, db } = w;

const steps = async (token: string, method: string, path: string) =>
  explain({ db, endpoints: allEndpoints, authorization: `Bearer ${token}`, method, path, now: w.clock.now, url: undefined });

describe('a token of a member, where the organization demands approval', () => {
  test('reads what is public until it is approved, and what it asked for then', async () => {
    const { member, org, engine, reviewer, base, owner } = await demanding(w);
    const open = await w.repo(org, { by: owner, visibility: 'public' });
    const { token } = await tokenFor(w, member, org, { repositories: [engine], reason: 'To report' });
    const holder = await as(token);
    const issues = `/repos/${org.login}/${engine.name}/issues`;
    expect((await holder.get(`/repos/${org.login}/${engine.name}`)).status).toBe(404);
    expect((await holder.post(issues, { title: 'Too early' })).status).toBe(404);
    expect((await holder.get(`/repos/${org.login}/${open.name}`)).status).toBe(200);
    expect((await holder.post(`/repos/${org.login}/${open.name}/issues`, { title: 'Too early' })).status).toBe(403);
    expect((await holder.get('/user/orgs')).body).toEqual([]);
    const request = await onlyRequest(reviewer, base);
    expect(request).toMatchObject({
      owner: { login: member.login },
      reason: 'To report',
      repository_selection: 'subset',
      permissions: { organization: {}, repository: { issues: 'write', metadata: 'read' }, other: {} },
      token_name: 'mine',
      token_expired: false,
      token_expires_at: null,
    });
    const path = `${base}/personal-access-token-requests/${request.id}`;
    expect((await reviewer.get(`${path}/repositories`)).body).toMatchObject([{ name: engine.name }]);
    expect((await reviewer.get(`${base}/personal-access-tokens`)).body).toEqual([]);
    expect((await reviewer.post(path, { action: 'approve', reason: 'Fine' })).status).toBe(204);
    expect((await reviewer.post(path, { action: 'approve' })).status).toBe(404);
    expect((await holder.post(issues, { title: 'Now' })).status).toBe(201);
    expect((await reviewer.get(`${base}/personal-access-token-requests`)).body).toEqual([]);
    const [granted] = (await reviewer.get(`${base}/personal-access-tokens`)).body;
    expect(granted).toMatchObject({ token_id: request.token_id, repository_selection: 'subset', owner: { login: member.login } });
    expect((await reviewer.get(`${base}/personal-access-tokens/${granted.id}/repositories`)).body).toMatchObject([
      { name: engine.name },
    ]);
  });

  test('is explained: it is pending approval, denied, or revoked', async () => {
    const { member, org, engine, reviewer, base } = await demanding(w);
    const { token } = await tokenFor(w, member, org);
    const path = `/repos/${org.login}/${engine.name}`;
    const last = async (method = 'GET', at = path) => (await steps(token, method, at)).steps.at(-1);
    expect(await last()).toMatchObject({ check: 'visible', passed: false, because: expect.stringMatching(/pending approval/) });
    expect(await last('GET', `/orgs/${org.login}/teams`)).toMatchObject({
      check: 'permission',
      because: expect.stringMatching(/pending approval/),
    });
    const push = await explainPush({
      ...{ db, services: w.hearth.services, authorization: `Bearer ${token}`, owner: org.login, name: engine.name },
      ...{ ref: 'main', to: undefined, now: w.clock.now },
    });
    expect(push).toMatchObject({ allowed: false, status: 404 });
    expect(push.steps.at(-1)?.because).toMatch(/pending approval/);
    const { id } = await onlyRequest(reviewer, base);
    await reviewer.post(`${base}/personal-access-token-requests/${id}`, { action: 'deny' });
    expect((await last())?.because).toMatch(/denied/);
  });

  test('once denied, does not come back, also where approval is no longer demanded', async () => {
    const { member, org, engine, reviewer, base } = await demanding(w);
    const { token } = await tokenFor(w, member, org);
    const { id } = await onlyRequest(reviewer, base);
    expect((await reviewer.post(`${base}/personal-access-token-requests/${id}`, { action: 'deny' })).status).toBe(204);
    await demand(w, org, { token_approval_required: false });
    expect((await (await as(token)).get(`/repos/${org.login}/${engine.name}`)).status).toBe(404);
    expect((await reviewer.get(`${base}/personal-access-tokens`)).body).toEqual([]);
  });

  test('of an owner needs no approval, and that of a user for their own account neither', async () => {
    const { owner, member, org, engine, reviewer, base } = await demanding(w);
    const { token } = await tokenFor(w, owner, org);
    expect((await (await as(token)).get(`/repos/${org.login}/${engine.name}`)).status).toBe(200);
    const mine = await w.repo(member, { by: member, visibility: 'private' });
    const own = await tokenFor(w, member, member);
    expect((await (await as(own.token)).get(`/repos/${member.login}/${mine.name}`)).status).toBe(200);
    expect((await reviewer.get(`${base}/personal-access-token-requests`)).body).toEqual([]);
  });
});

describe('a granted token', () => {
  test('that shall allow more keeps what it has until that is approved', async () => {
    const { member, org, engine, other, reviewer, base } = await demanding(w);
    const { token } = await tokenFor(w, member, org, {
      permissions: { issues: 'read', contents: 'read' },
      repositories: [engine],
    });
    const review = async (action: 'approve' | 'deny') => {
      const { id } = await onlyRequest(reviewer, base);
      expect((await reviewer.post(`${base}/personal-access-token-requests`, { pat_request_ids: [id], action })).status).toBe(202);
    };
    await review('approve');
    const holder = await as(token);
    const can = async () => [
      (await holder.get(`/repos/${org.login}/${engine.name}/issues`)).status,
      (await holder.post(`/repos/${org.login}/${engine.name}/issues`, { title: 'x' })).status,
      (await holder.get(`/repos/${org.login}/${other.name}`)).status,
      (await holder.get(`/repos/${org.login}/${engine.name}/commits`)).status !== 403,
    ];
    expect(await can()).toEqual([200, 403, 404, true]);
    // Less holds at once: contents are gone. More waits: writing issues, and the other repository.
    await change(w, token, { permissions: { issues: 'write' }, repositories: [engine, other] });
    expect(await can()).toEqual([200, 403, 404, false]);
    expect(await onlyRequest(reviewer, base)).toMatchObject({ permissions: { repository: { issues: 'write' } } });
    await review('deny');
    expect(await can()).toEqual([200, 403, 404, false]);
    await change(w, token, { permissions: { issues: 'write' }, repositories: 'all' });
    await review('approve');
    expect(await can()).toEqual([200, 201, 200, false]);
    // What is less needs no approval.
    await change(w, token, { permissions: { issues: 'read' }, repositories: [other] });
    expect((await reviewer.get(`${base}/personal-access-token-requests`)).body).toEqual([]);
    expect(await can()).toEqual([404, 404, 200, true]);
  });

  test('stops at the next request when it is revoked, over the API and Git, and asks anew when it is changed', async () => {
    const { member, org, engine, reviewer, base } = await demanding(w);
    const { token } = await tokenFor(w, member, org, { permissions: { contents: 'read', issues: 'read' } });
    const { id } = await onlyRequest(reviewer, base);
    await reviewer.post(`${base}/personal-access-token-requests/${id}`, { action: 'approve' });
    const holder = await as(token);
    const read = `/repos/${org.login}/${engine.name}/issues`;
    const authorization = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
    const fetched = async () =>
      (await fetch(`${w.url}/${org.login}/${engine.name}.git/info/refs?service=git-upload-pack`, { headers: { authorization } }))
        .status;
    expect((await holder.get(read)).status).toBe(200);
    expect(await fetched()).toBe(200);
    const [granted] = (await reviewer.get(`${base}/personal-access-tokens`)).body;
    expect((await reviewer.post(`${base}/personal-access-tokens`, { action: 'revoke', pat_ids: [granted.id] })).status).toBe(202);
    expect((await holder.get(read)).status).toBe(404);
    expect(await fetched()).toBe(404);
    expect((await holder.get('/user')).status).toBe(200);
    expect((await reviewer.post(`${base}/personal-access-tokens/${granted.id}`, { action: 'revoke' })).status).toBe(404);
    await change(w, token, { permissions: { issues: 'read' }, repositories: 'all' });
    expect((await holder.get(read)).status).toBe(404);
    expect(await onlyRequest(reviewer, base)).toMatchObject({ token_id: granted.token_id });
  });

  test('is revoked by its id, and another one of the same owner is not', async () => {
    const { member, org, engine, reviewer, base } = await demanding(w);
    const path = `/repos/${org.login}/${engine.name}`;
    const tokens = [await tokenFor(w, member, org), await tokenFor(w, member, org)];
    const requests = (await reviewer.get(`${base}/personal-access-token-requests`)).body;
    const pat_request_ids = requests.map(({ id }: { id: number }) => id);
    await reviewer.post(`${base}/personal-access-token-requests`, { action: 'approve', pat_request_ids });
    const reads = async () => {
      const clients = await Promise.all(tokens.map(({ token }) => as(token)));
      return (await Promise.all(clients.map((client) => client.get(path)))).map(({ status }) => status).toSorted();
    };
    await w.settle();
    expect(await reads()).toEqual([200, 200]);
    const [granted] = (await reviewer.get(`${base}/personal-access-tokens`)).body;
    expect((await reviewer.post(`${base}/personal-access-tokens/${granted.id}`, { action: 'revoke' })).status).toBe(204);
    expect(await reads()).toEqual([200, 404]);
  });

  test('ends with the membership, also for somebody who comes back', async () => {
    const { member, org, engine, owner } = await demanding(w);
    await demand(w, org, { token_approval_required: false });
    const { token } = await tokenFor(w, member, org);
    const read = async () => (await (await as(token)).get(`/repos/${org.login}/${engine.name}`)).status;
    expect(await read()).toBe(200);
    expect((await (await as(owner)).delete(`/orgs/${org.login}/members/${member.login}`)).status).toBe(204);
    expect(await read()).toBe(404);
    await w.settle();
    await w.member(org, member);
    expect(await read()).toBe(404);
  });
});

describe('an organization', () => {
  test('that accepts no fine-grained tokens gets none, and those that there are stop at once, until it accepts them again', async () => {
    const { member, org, engine } = await demanding(w);
    await demand(w, org, { token_approval_required: false });
    const { token } = await tokenFor(w, member, org);
    const holder = await as(token);
    const read = async () => (await holder.get(`/repos/${org.login}/${engine.name}`)).status;
    expect(await read()).toBe(200);
    await demand(w, org, { fine_grained_tokens_allowed: false });
    expect(await read()).toBe(404);
    expect((await steps(token, 'GET', `/repos/${org.login}/${engine.name}`)).steps.at(-1)?.because).toMatch(
      /accepts no fine-grained/,
    );
    await expect(tokenFor(w, member, org)).rejects.toThrow(/accepts no fine-grained tokens/);
    await demand(w, org, { fine_grained_tokens_allowed: true });
    expect(await read()).toBe(200);
  });

  test('that says how long tokens live refuses those that live longer', async () => {
    const { member, org, engine } = await demanding(w);
    await demand(w, org, { token_approval_required: false });
    const [endless, long, short] = [
      await tokenFor(w, member, org),
      await tokenFor(w, member, org, { days: 91 }),
      await tokenFor(w, member, org, { days: 90 }),
    ];
    await demand(w, org, { max_token_days: 90 });
    const status = async ({ token }: { token: string }) =>
      (await (await as(token)).get(`/repos/${org.login}/${engine.name}`)).status;
    expect([await status(endless), await status(long), await status(short)]).toEqual([404, 404, 200]);
    const refused = {
      kind: 'invalid',
      errors: [{ field: 'expires', message: expect.stringMatching(/must end within 90 days/) }],
    };
    await expect(tokenFor(w, member, org)).rejects.toMatchObject(refused);
    await expect(tokenFor(w, member, org, { days: 91 })).rejects.toMatchObject(refused);
    expect((await tokenFor(w, member, org, { days: 90 })).row.access).toBe('granted');
  });
});

describe('requests and granted tokens', () => {
  test('are for apps with the permission, and for owners by an app; to nobody else', async () => {
    const { owner, member, org, app, base } = await demanding(w);
    const path = `${base}/personal-access-token-requests`;
    const status = async (who: Parameters<typeof as>[0]) => (await (await as(who)).get(path)).status;
    expect(await status(app.token)).toBe(200);
    expect(await status(await app.userToken(owner))).toBe(200);
    expect(await status(await app.userToken(member))).toBe(404);
    expect(await status(owner)).toBe(403);
    expect(await status(undefined)).toBe(401);
    const reads = await installApp(w, { on: org, permissions: { organization_personal_access_token_requests: 'read' } });
    expect(await status(reads.token)).toBe(200);
    expect((await (await as(reads.token)).post(path, { pat_request_ids: [1], action: 'deny' })).status).toBe(403);
    expect((await (await as(reads.token)).get(`${base}/personal-access-tokens`)).status).toBe(403);
  });

  test('are found by owner, repository, permission, token and last use', async () => {
    const { member, org, engine, other, reviewer, base } = await demanding(w);
    const second = await w.user();
    await w.member(org, second);
    const one = await tokenFor(w, member, org, { name: 'one', permissions: { issues: 'read' }, repositories: [engine] });
    await tokenFor(w, second, org, { name: 'two', permissions: { issues: 'write', organization_webhooks: 'read' } });
    const three = await tokenFor(w, second, org, { name: 'three', permissions: {}, repositories: 'public' });
    const used = new Date(w.clock.now.getTime() - 3_600_000);
    await db.updateTable('tokens').set({ last_used_at: used }).where('id', '=', one.row.id).execute();
    const earlier = new Date(used.getTime() - 1000).toISOString();
    const later = new Date(used.getTime() + 1000).toISOString();
    const cases: [query: string, names: string[]][] = [
      ['', ['three', 'two', 'one']],
      ['?direction=asc&sort=created_at', ['one', 'two', 'three']],
      [`?owner=${member.login}`, ['one']],
      [`?owner[]=${member.login}&owner[]=${second.login.toUpperCase()}`, ['three', 'two', 'one']],
      [`?owner=${member.login},nobody`, ['one']],
      [`?repository=${engine.name}`, ['two', 'one']],
      [`?repository=${other.name}`, ['two']],
      ['?repository=absent', []],
      ['?permission=issues_read', ['two', 'one']],
      ['?permission=issues_write', ['two']],
      ['?permission=organization_webhooks_read', ['two']],
      [`?token_id=${one.row.id}`, ['one']],
      [`?token_id[]=${one.row.id}&token_id[]=${three.row.id}`, ['three', 'one']],
      [`?last_used_after=${earlier}`, ['one']],
      [`?last_used_before=${later}`, ['one']],
      [`?last_used_before=${earlier}`, []],
    ];
    const agree = async (list: string) => {
      for (const [query, names] of cases) {
        const { status, body } = await reviewer.get(`${base}/${list}${query}`);
        expect([status, body.map((row: { token_name: string }) => row.token_name)], query).toEqual([200, names]);
      }
      for (const wrong of ['permission=nonsense_read', 'permission=issues', 'token_id=x', 'sort=name', 'last_used_after=soon'])
        expect((await reviewer.get(`${base}/${list}?${wrong}`)).status, wrong).toBe(422);
    };
    await agree('personal-access-token-requests');
    const { body } = await reviewer.get(`${base}/personal-access-token-requests?direction=asc`);
    const ids = body.map(({ id }: { id: number }) => id);
    await reviewer.post(`${base}/personal-access-token-requests`, { pat_request_ids: ids, action: 'approve' });
    await agree('personal-access-tokens');
  });

  test('are reviewed and revoked all or none', async () => {
    const { member, org, reviewer, base } = await demanding(w);
    await tokenFor(w, member, org);
    const { id } = await onlyRequest(reviewer, base);
    const path = `${base}/personal-access-token-requests`;
    await w.unchanged(['tokens', 'token_requests', 'token_repositories'], async () => {
      expect((await reviewer.post(path, { pat_request_ids: [id, 999_999], action: 'approve' })).status).toBe(422);
      expect((await reviewer.post(path, { action: 'approve' })).status).toBe(422);
      expect((await reviewer.post(path, { pat_request_ids: [id], action: 'perhaps' })).status).toBe(422);
      expect((await reviewer.post(`${base}/personal-access-tokens`, { action: 'revoke', pat_ids: [999_999] })).status).toBe(422);
      expect((await reviewer.post(`${base}/personal-access-tokens`, { action: 'grant', pat_ids: [id] })).status).toBe(422);
    });
  });

  test('of another organization are not there', async () => {
    const [here, there] = [await demanding(w), await demanding(w)];
    const { row } = await tokenFor(w, here.member, here.org);
    const { id } = await onlyRequest(here.reviewer, here.base);
    const foreign = `${there.base}/personal-access-token-requests`;
    expect((await there.reviewer.post(`${foreign}/${id}`, { action: 'approve' })).status).toBe(404);
    expect((await there.reviewer.post(foreign, { pat_request_ids: [id], action: 'approve' })).status).toBe(422);
    expect((await there.reviewer.get(`${foreign}/${id}/repositories`)).status).toBe(404);
    expect((await there.reviewer.post(`${there.base}/personal-access-tokens/${row.id}`, { action: 'revoke' })).status).toBe(404);
  });

  test('are listed in as many statements for one and for many', async () => {
    const { owner, org, engine, reviewer, base, app } = await demanding(w);
    const headers = { authorization: `Bearer ${await app.userToken(owner)}` };
    const [waiting, granted] = [`${base}/personal-access-token-requests`, `${base}/personal-access-tokens`];
    const add = async () => {
      const somebody = await w.user();
      await w.member(org, somebody);
      await tokenFor(w, somebody, org, { repositories: [engine] });
    };
    const approveAll = async () => {
      const { body } = await reviewer.get(waiting);
      const pat_request_ids = body.map(({ id }: { id: number }) => id);
      const { statements } = await countStatements(() => reviewer.post(waiting, { pat_request_ids, action: 'approve' }));
      return statements.length;
    };
    const count = (list: string) => w.statements(owner, list, { headers });
    await add();
    const few = [await count(waiting), await approveAll(), await count(granted)];
    for (let i = 0; i < 5; i++) await add();
    expect([await count(waiting), await approveAll(), await count(granted)]).toEqual(few);
    expect((await reviewer.get(granted)).body).toHaveLength(6);
    expect(few[0]).toBeLessThanOrEqual(3);
  });

  test('of a repository that is deleted or goes elsewhere name it no more', async () => {
    const { owner, member, org, engine, other, reviewer, base } = await demanding(w);
    await tokenFor(w, member, org, { repositories: [engine, other] });
    const { id } = await onlyRequest(reviewer, base);
    const elsewhere = await w.org(owner, fresh('elsewhere'));
    const asOwner = await as(owner);
    expect((await asOwner.post(`/repos/${org.login}/${engine.name}/transfer`, { new_owner: elsewhere.login })).status).toBe(202);
    expect((await asOwner.delete(`/repos/${org.login}/${other.name}`)).status).toBe(204);
    expect((await reviewer.get(`${base}/personal-access-token-requests/${id}/repositories`)).body).toEqual([]);
    await reviewer.post(`${base}/personal-access-token-requests/${id}`, { action: 'approve' });
    const [granted] = (await reviewer.get(`${base}/personal-access-tokens`)).body;
    expect((await reviewer.get(`${base}/personal-access-tokens/${granted.id}/repositories`)).body).toEqual([]);
  });
});
