import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { cloudKey, ownToken, secretSetting } from './setting.ts';

const { here, owner, org, client, on, off, setting, heard } = await secretSetting();

test('a secret that is pushed raises an alert with its place, told by webhooks that do not hold it', async () => {
  const { put, alerts, at, repo, path } = await setting({ secret_scanning: on });
  const token = ownToken();
  const { body: made } = await put('config/deploy.env', `HOST=engine\nTOKEN=${token}\n`);
  await here.settle();
  const [alert, ...others] = await alerts();
  expect(others).toEqual([]);
  const place = {
    path: 'config/deploy.env',
    start_line: 2,
    end_line: 2,
    start_column: 7,
    end_column: 6 + token.length,
    blob_sha: made.content.sha,
    commit_sha: made.commit.sha,
  };
  expect(alert).toMatchObject({
    number: 1,
    state: 'open',
    resolution: null,
    secret: token,
    secret_type: 'hearth_personal_access_token',
    secret_type_display_name: 'Hearth Personal Access Token',
    provider: 'Hearth',
    provider_slug: 'hearth',
    validity: 'unknown',
    publicly_leaked: false,
    push_protection_bypassed: false,
    has_more_locations: false,
    first_location_detected: place,
  });
  expect((await client.get(`${at}/alerts/1`)).body).toEqual(alert);
  expect((await client.get(`${at}/alerts/1/locations`)).body).toMatchObject([{ type: 'commit', details: place }]);
  expect((await client.get(alert.first_location_detected.blob_url.replace(/.*\/api\/v3/, ''))).status).toBe(200);

  const told = await heard();
  expect(told['secret_scanning_alert.created']).toMatchObject({
    alert: { number: 1, secret_type: alert.secret_type, url: expect.stringContaining(`${path}/secret-scanning/alerts/1`) },
    repository: { name: repo.name },
    sender: { login: owner.login },
  });
  expect(told['secret_scanning_alert_location.created']).toMatchObject({ location: { type: 'commit', details: place } });
  const { secret_scanning_alert, ...rest } = told;
  expect(JSON.stringify([secret_scanning_alert, rest['secret_scanning_alert.created']])).not.toContain(token);
});

test('the same secret elsewhere is a further place of its alert', async () => {
  const { put, alerts, at } = await setting({ secret_scanning: on });
  const token = ownToken();
  await put('a.env', token);
  await put('b.env', `again ${token} and ${token}`);
  await here.settle();
  expect(await alerts()).toMatchObject([{ number: 1, has_more_locations: true, first_location_detected: { path: 'a.env' } }]);
  const { body: places } = await client.get(`${at}/alerts/1/locations`);
  expect(
    places.map(({ details }: { details: { path: string; start_column: number } }) => [details.path, details.start_column]),
  ).toEqual([
    ['a.env', 1],
    ['b.env', 7],
    ['b.env', 12 + token.length],
  ]);
  await put('c.env', 'nothing');
  await here.settle();
  expect((await client.get(`${at}/alerts/1/locations`)).body).toHaveLength(3);
});

test('turning it on scans the history, deleted files too, and turning it off hides what was found', async () => {
  const { put, turn, alerts, at, path } = await setting();
  const [gone, kept] = [ownToken(), cloudKey()];
  const { body: made } = await put('gone.env', gone);
  await client.delete(`${path}/contents/gone.env`, { message: 'Remove it', sha: made.content.sha });
  await put('kept.env', kept);
  await here.settle();
  expect((await client.get(`${at}/alerts`)).status).toBe(404);
  await turn({ secret_scanning: on });
  const told = await heard();
  expect(told['secret_scanning_scan.completed']).toMatchObject({ type: 'backfill' });
  expect((await alerts()).map(({ secret }: { secret: string }) => secret)).toEqual([kept, gone]);
  const { body: history } = await client.get(`${at}/scan-history`);
  const backfill_scans = ['issue', 'pull-request', 'git'].map((type) => ({ type, status: 'completed' }));
  expect(history).toMatchObject({ backfill_scans, incremental_scans: [] });
  await put('later.env', ownToken());
  await here.settle();
  expect((await client.get(`${at}/scan-history`)).body).toMatchObject({ incremental_scans: [{ status: 'completed' }] });
  expect(await alerts()).toHaveLength(3);

  await turn({ secret_scanning: off });
  for (const one of ['alerts', 'alerts/1', 'alerts/1/locations', 'scan-history'])
    expect((await client.get(`${at}/${one}`)).status, one).toBe(404);
  await put('unseen.env', ownToken());
  await here.settle();
  await turn({ secret_scanning: on });
  await here.settle();
  expect(await alerts()).toHaveLength(4);
});

test('what is pushed is scanned before histories that were asked for earlier', async () => {
  const scanned = await setting({ secret_scanning: on });
  await scanned.put('a.txt', 'one');
  const others = [await setting(), await setting()];
  for (const { put } of others) await put('a.txt', 'one');
  await here.settle();
  for (const { turn } of others) await turn({ secret_scanning: on });
  const last = async () =>
    here.change(
      async (scope) =>
        (await sql<{ id: number }>`select coalesce(max(id), 0)::integer as id from secret_scans`.execute(scope.tx)).rows[0]?.id,
    );
  const before = await last();
  await scanned.put('b.txt', 'two');
  await here.settle();
  const { rows } = await here.change((scope) =>
    sql<{ repository_id: number }>`select repository_id from secret_scans where id > ${before} order by id`.execute(scope.tx),
  );
  // Then their histories and their texts.
  const [first, ...rest] = rows.map(({ repository_id }) => repository_id);
  expect([first, ...rest.sort()]).toEqual([scanned, ...others.flatMap((one) => [one, one])].map(({ repo }) => repo.id));
});

test('forms without a provider are looked for where they are wanted, and listed by name', async () => {
  const { put, turn, alerts } = await setting({ secret_scanning: on });
  await put('db.env', 'postgres://ada:correct-horse@db.engine.test/main');
  await here.settle();
  expect(await alerts('?secret_type=postgres_connection_string')).toEqual([]);
  await turn({ secret_scanning_non_provider_patterns: on });
  await here.settle();
  expect(await alerts()).toEqual([]);
  expect(await alerts('?secret_type=postgres_connection_string')).toMatchObject([
    { secret: 'postgres://ada:correct-horse@db.engine.test', provider: null },
  ]);
});

test('an alert is resolved, reopened, assigned and its validity stated, and each is told', async () => {
  const { put, at, repo } = await setting({ secret_scanning: on });
  await put('a.env', ownToken());
  await heard();
  const one = `${at}/alerts/1`;
  const resolved = await client.patch(one, { state: 'resolved', resolution: 'revoked', resolution_comment: 'Rotated' });
  const resolution = { resolution: 'revoked', resolution_comment: 'Rotated', resolved_by: { login: owner.login } };
  expect(resolved).toMatchObject({ status: 200, body: { state: 'resolved', resolved_at: expect.any(String), ...resolution } });
  expect((await client.patch(one, { state: 'resolved', resolution: 'revoked' })).status).toBe(400);
  expect(Object.keys(await heard())).toEqual(['secret_scanning_alert.resolved']);
  expect(await client.patch(one, { state: 'open' })).toMatchObject({
    body: { state: 'open', resolution: null, resolved_at: null, resolved_by: null },
  });
  expect(Object.keys(await heard())).toEqual(['secret_scanning_alert.reopened']);

  const writer = await here.user();
  await here.collaborator(repo, writer, 'write');
  expect(await client.patch(one, { assignee: writer.login })).toMatchObject({ body: { assigned_to: { login: writer.login } } });
  expect(await client.patch(one, { validity: 'active' })).toMatchObject({ body: { validity: 'active' } });
  expect(await client.patch(one, { validity: null, assignee: null })).toMatchObject({
    body: { validity: 'unknown', assigned_to: null },
  });
  expect(await heard()).toMatchObject({
    'secret_scanning_alert.assigned': { assignee: { login: writer.login } },
    'secret_scanning_alert.unassigned': { assignee: { login: writer.login } },
    'secret_scanning_alert.validated': {},
  });
});

let refusing: Promise<Awaited<ReturnType<typeof setting>>> | undefined;

/** A repository with one alert, for all requests that change nothing. */
const withAlert = () => {
  refusing ??= (async () => {
    const made = await setting({ secret_scanning: on });
    await made.put('a.env', ownToken());
    await here.settle();
    return made;
  })();
  return refusing;
};

test.each([
  {},
  { state: 'resolved' },
  { state: 'closed', resolution: 'revoked' },
  { state: 'resolved', resolution: 'pattern_deleted' },
  { state: 'open', resolution: 'revoked' },
  { resolution_comment: 'Why' },
  { resolution: 'revoked', validity: 'active' },
  { assignee: 'nobody-of-this-name' },
  { validity: 'unknown' },
])('%j is refused, and changes nothing', async (wanted) => {
  const { at } = await withAlert();
  await here.unchanged(['secret_alerts', 'events'], async () =>
    expect((await client.patch(`${at}/alerts/1`, wanted)).status).toBe(422),
  );
});

test('lists are filtered, sorted, and hide secrets where they are asked to', async () => {
  const { put, alerts, at } = await setting({ secret_scanning: on });
  await put('a.env', ownToken());
  await here.settle();
  await put('b.env', cloudKey());
  await here.settle();
  await client.patch(`${at}/alerts/1`, { state: 'resolved', resolution: 'wont_fix' });
  const numbers = async (query: string) => (await alerts(query)).map(({ number }: { number: number }) => number);
  expect(await numbers('')).toEqual([2, 1]);
  expect(await numbers('?direction=asc')).toEqual([1, 2]);
  expect(await numbers('?state=open')).toEqual([2]);
  expect(await numbers('?resolution=wont_fix,revoked')).toEqual([1]);
  expect(await numbers('?secret_type=aws_access_key_id')).toEqual([2]);
  expect(await numbers('?exclude_secret_types=aws_access_key_id')).toEqual([1]);
  expect(await numbers('?providers=hearth')).toEqual([1]);
  expect(await numbers('?providers=nobody')).toEqual([]);
  expect(await numbers('?exclude_providers=hearth')).toEqual([2]);
  expect(await numbers('?assignee=none')).toEqual([2, 1]);
  expect(await numbers('?assignee=*')).toEqual([]);
  expect(await numbers('?validity=active')).toEqual([]);
  expect(await numbers('?is_bypassed=true')).toEqual([]);
  expect(await numbers('?is_publicly_leaked=true')).toEqual([]);
  expect(await numbers('?is_multi_repo=true')).toEqual([]);
  expect((await alerts('?hide_secret=true'))[0]).not.toHaveProperty('secret');
  for (const query of ['secret_type=a&exclude_secret_types=b', 'providers=a&exclude_providers=b', 'resolution=x', 'validity=x'])
    expect((await client.get(`${at}/alerts?${query}`)).status, query).toBe(422);
});

test('an organization lists the alerts of all its repositories, as far as a credential reaches', async () => {
  const [one, other] = [await setting({ secret_scanning: on }), await setting({ secret_scanning: on, visibility: 'public' })];
  const token = ownToken();
  await one.put('a.env', token);
  await here.settle();
  await other.put('a.env', token);
  await here.settle();
  const at = `/orgs/${org.login}/secret-scanning/alerts`;
  const { body } = await client.get(`${at}?is_multi_repo=true`);
  expect(body).toMatchObject([
    { secret: token, repository: { name: other.repo.name }, multi_repo: true, publicly_leaked: true },
    { secret: token, repository: { name: one.repo.name }, multi_repo: true, publicly_leaked: false },
  ]);
  const narrow = await here.fineGrained(owner, org, { secret_scanning_alerts: 'read' }, [one.repo]);
  const { body: reached } = await (await here.as(narrow)).get(`${at}?is_multi_repo=true`);
  expect(reached).toMatchObject([{ repository: { name: one.repo.name } }]);
  const member = await here.user();
  await here.member(org, member);
  expect((await (await here.as(member)).get(at)).status).toBe(404);
});

test('who does not administer a repository learns nothing of its alerts', async () => {
  const { put, at, repo } = await setting({ secret_scanning: on, visibility: 'public' });
  await put('a.env', ownToken());
  await here.settle();
  const writer = await here.user();
  await here.collaborator(repo, writer, 'maintain');
  const tokens = [await here.token(writer), await here.fineGrained(owner, org, { contents: 'write' }, [repo])];
  for (const token of [...tokens, undefined])
    for (const one of ['alerts', 'alerts/1', 'alerts/1/locations', 'scan-history'])
      expect([401, 403, 404]).toContain((await (await here.as(token)).get(`${at}/${one}`)).status);
});

test('no secret is in the database as it is', async () => {
  const { put, at } = await setting({ secret_scanning: on });
  const token = ownToken();
  await put('a.env', token);
  await here.settle();
  expect((await client.get(`${at}/alerts/1`)).body.secret).toBe(token);
  for (const table of ['secret_alerts', 'secret_locations', 'secret_scans', 'events', 'webhook_deliveries']) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(table)} t`.execute(here.db);
    for (const { row } of rows) {
      expect(row).not.toContain(token);
      expect(row).not.toContain(Buffer.from(token).toString('hex'));
    }
  }
});

test('a list costs as many statements for 1 alert as for 40', async () => {
  const { put, at } = await setting({ secret_scanning: on });
  await put('a.env', ownToken());
  await here.settle();
  const one = await here.statements(owner, `${at}/alerts`);
  await put('b.env', Array.from({ length: 40 }, ownToken).join('\n'));
  await here.settle();
  expect(await here.statements(owner, `${at}/alerts?per_page=100`)).toBe(one);
  expect(one).toBeLessThanOrEqual(4);
  expect(await here.statements(owner, `${at}/alerts/1`)).toBeLessThanOrEqual(3);
  expect(await here.statements(owner, `${at}/alerts/1/locations`)).toBe(2);
});

test('who may see an alert is told of it, for as long as they may, and of nothing else', async () => {
  const { put, at, path, repo, turn } = await setting({ secret_scanning: on });
  const [admin, writer] = [await here.user(), await here.user()];
  await here.collaborator(repo, admin, 'admin');
  await here.collaborator(repo, writer, 'write');
  const [asAdmin, asWriter] = [await here.as(admin), await here.as(writer)];
  const told = async (reader: typeof asAdmin) =>
    (await reader.get(`${path}/notifications`)).body.filter(({ reason }: { reason: string }) => reason === 'security_alert');
  const token = ownToken();
  await put('a.env', token);
  await here.settle();
  const url = expect.stringContaining(`${at}/alerts/1`);
  const subject = { type: 'SecretScanningAlert', title: `Hearth Personal Access Token found in ${repo.name}`, url };
  expect(await told(asAdmin)).toMatchObject([{ unread: true, subject }]);
  expect(await told(client)).toMatchObject([{ subject }]);
  expect(await told(asWriter)).toEqual([]);
  expect(JSON.stringify(await told(asAdmin))).not.toContain(token);
  expect(await here.statements(admin, `${path}/notifications`)).toBeLessThanOrEqual(8);
  await client.patch(`${at}/alerts/1`, { state: 'resolved', resolution: 'revoked' });
  await asAdmin.put('/notifications', {});
  await here.settle();
  expect(await told(asAdmin)).toEqual([]);
  await client.patch(`${at}/alerts/1`, { state: 'open' });
  await here.settle();
  expect(await told(asAdmin)).toHaveLength(1);
  await turn({ secret_scanning: off });
  expect(await told(asAdmin)).toEqual([]);
  await turn({ secret_scanning: on });
  await client.put(`${path}/collaborators/${admin.login}`, { permission: 'push' });
  expect(await told(asAdmin)).toEqual([]);
});
