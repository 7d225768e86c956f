// Secrets in titles, bodies, comments and reviews of issues and pull requests.
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { enqueue } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { scanForNewPatterns } from '#resources/code/secret-scanning/jobs.ts';
import { scanTextsAnew } from '#resources/code/secret-scanning/scans/scan.ts';
import { scanWritten } from '#resources/code/secret-scanning/scans/scan-texts.ts';
import { enqueueImportedIssues } from '#resources/collaboration/issues/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { waitsForLock } from '#test/support/time.ts';
import { fresh } from '#test/support/world.ts';
import { ownToken, secretSetting } from '../setting.ts';

const { here, owner, org, client, on, off, setting, heard, target } = await secretSetting();
const octokit = new Octokit({ auth: await here.token(owner), baseUrl: `${here.url}/api/v3`, throttle: { enabled: false } });

type Setting = Awaited<ReturnType<typeof setting>>;
type Location = { type: string; details: Record<string, string> };

/** Opens an issue, and returns its number. */
const openIssue = async ({ path }: Setting, wanted: { title?: string; body?: string }): Promise<number> =>
  (await client.post(`${path}/issues`, { title: 'Broken', ...wanted })).body.number;

/** A branch with a commit that isn't in main. */
async function branchOf({ path, put }: Setting): Promise<string> {
  const branch = fresh('topic');
  const { body: main } = await put(`${branch}.txt`, 'one');
  await client.post(`${path}/git/refs`, { ref: `refs/heads/${branch}`, sha: main.commit.sha });
  await put(`${branch}.md`, 'one\ntwo', { branch });
  return branch;
}

const issueOf = ({ repo }: Setting, number: number) =>
  here.db
    .selectFrom('issues')
    .select('id')
    .where('repository_id', '=', repo.id)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();

/** Stores comments of which no event tells. */
const insertComments = ({ repo }: Setting, issue_id: Id<'issues'>, bodies: readonly string[]) => {
  const row = { repository_id: repo.id, issue_id, author_id: owner.id, created_at: here.clock.now, updated_at: here.clock.now };
  return here.db
    .insertInto('issue_comments')
    .values(bodies.map((body) => ({ ...row, body })))
    .returning('id')
    .execute();
};

const locationsOf = async ({ at }: Setting, number: number): Promise<Location[]> =>
  (await client.get(`${at}/alerts/${number}/locations?per_page=100`)).body;
const siteCandidatesOf = async (one: Setting, number: number): Promise<string[]> =>
  (await locationsOf(one, number)).map(({ type }) => type);
const apiPath = (url = ''): string => url.replace(/.*\/api\/v3/, '');

test('each text raises an alert with its place, found by an unmodified client, and told by webhooks without the secret', async () => {
  const one = await setting({ secret_scanning: on });
  const named = { owner: org.login, repo: one.repo.name };
  const { rest } = octokit;
  const secrets = new Map<string, string>();
  const secretOf = (type: string): string => {
    const secret = ownToken();
    secrets.set(secret, type);
    return `Look at ${secret}.`;
  };
  const issue = (
    await rest.issues.create({ ...named, title: secretOf('issue_title').slice(0, 256), body: secretOf('issue_body') })
  ).data;
  await rest.issues.createComment({ ...named, issue_number: issue.number, body: secretOf('issue_comment') });
  const head = await branchOf(one);
  const pull = (
    await rest.pulls.create({
      ...named,
      head,
      base: 'main',
      title: secretOf('pull_request_title'),
      body: secretOf('pull_request_body'),
    })
  ).data;
  const pull_number = pull.number;
  await rest.issues.createComment({ ...named, issue_number: pull_number, body: secretOf('pull_request_comment') });
  await rest.pulls.createReview({
    ...named,
    pull_number,
    event: 'COMMENT',
    body: secretOf('pull_request_review'),
    comments: [{ path: `${head}.md`, line: 1, body: secretOf('pull_request_review_comment') }],
  });
  const told = await heard();
  const { data: alerts } = await rest.secretScanning.listAlertsForRepo({ ...named, per_page: 100 });
  expect(alerts.map(({ secret = '' }) => secrets.get(secret)).sort()).toEqual([...secrets.values()].sort());

  for (const { number: alert_number = 0, secret = '', first_location_detected, has_more_locations } of alerts) {
    const { data: locations } = await rest.secretScanning.listLocationsForAlert({ ...named, alert_number });
    const type = secrets.get(secret) ?? '';
    expect(locations.map((location) => location.type)).toEqual([type]);
    const details = locations[0]?.details as Record<string, string>;
    expect([first_location_detected, has_more_locations]).toEqual([details, false]);
    const { status, body } = await client.get(apiPath(details[`${type}_url`]));
    expect([status, JSON.stringify(body)], type).toEqual([200, expect.stringContaining(secret)]);
    if (!type.endsWith('_title') && !type.endsWith('_body')) expect(details.html_url, type).toBe(body.html_url);
    expect(body.html_url, type).toContain(details.html_url);
  }
  expect(told['secret_scanning_alert.created']).toMatchObject({ sender: { login: owner.login } });
  expect(told['secret_scanning_alert_location.created'].location.type).toMatch(/^(issue|pull_request)_/);
  for (const kind of ['secret_scanning_alert.created', 'secret_scanning_alert_location.created'])
    for (const secret of secrets.keys()) expect(JSON.stringify(told[kind])).not.toContain(secret);
});

test('a secret has one alert in files and texts; its list costs the same for 1 place and for 100', async () => {
  const one = await setting({ secret_scanning: on });
  const token = ownToken();
  await one.put('a.env', token);
  await here.settle();
  const locations = `${one.at}/alerts/1/locations?per_page=100`;
  const statements = [await here.statements(owner, locations), await here.statements(owner, `${one.at}/alerts`)];
  const number = await openIssue(one, { title: token.slice(0, 200), body: `${token} and ${token}` });
  for (let at = 0; at < 97; at++) await client.post(`${one.path}/issues/${number}/comments`, { body: `${at}: ${token}` });
  await here.settle();
  expect(await one.alerts()).toMatchObject([{ number: 1, has_more_locations: true, first_location_detected: { path: 'a.env' } }]);
  const types = await siteCandidatesOf(one, 1);
  expect(types.toSorted()).toEqual(['commit', 'issue_body', ...Array(97).fill('issue_comment'), 'issue_title']);
  expect(types[0]).toBe('commit');
  expect([await here.statements(owner, locations), await here.statements(owner, `${one.at}/alerts`)]).toEqual(statements);
  expect(statements[0]).toBeLessThanOrEqual(2);
});

test('a changed text is scanned again; what was taken out of it stays a place', async () => {
  const one = await setting({ secret_scanning: on });
  const [token, other] = [ownToken(), ownToken()];
  const number = await openIssue(one, { body: 'Nothing' });
  const { body: comment } = await client.post(`${one.path}/issues/${number}/comments`, { body: `${token} here` });
  await here.settle();
  await client.patch(`${one.path}/issues/${number}`, { body: `Now ${other}` });
  await client.patch(`${one.path}/issues/comments/${comment.id}`, { body: 'Nothing more' });
  await client.patch(`${one.path}/issues/${number}`, { title: `With ${token}` });
  await here.settle();
  expect(await one.alerts()).toMatchObject([
    { number: 2, secret: other, state: 'open', has_more_locations: false },
    { number: 1, secret: token, state: 'open', has_more_locations: true },
  ]);
  expect(await siteCandidatesOf(one, 1)).toEqual(['issue_comment', 'issue_title']);
  await client.patch(`${one.path}/issues/comments/${comment.id}`, { body: `Again ${token}` });
  await here.settle();
  expect(await siteCandidatesOf(one, 1)).toEqual(['issue_comment', 'issue_title']);
  expect(await siteCandidatesOf(one, 2)).toEqual(['issue_body']);
});

test('a deleted comment is no place any more, and its alert stays', async () => {
  const one = await setting({ secret_scanning: on });
  const token = ownToken();
  const number = await openIssue(one, {});
  const comment = async () => (await client.post(`${one.path}/issues/${number}/comments`, { body: token })).body.id;
  const [first, second] = [await comment(), await comment()];
  await here.settle();
  expect(await one.alerts()).toMatchObject([{ has_more_locations: true }]);
  await client.delete(`${one.path}/issues/comments/${first}`);
  const [alert] = await one.alerts();
  expect([alert.has_more_locations, alert.first_location_detected.issue_comment_url]).toEqual([
    false,
    expect.stringContaining(`/issues/comments/${second}`),
  ]);
  await client.delete(`${one.path}/issues/comments/${second}`);
  const [left] = await one.alerts();
  expect(left).toMatchObject({ number: 1, state: 'open', secret: token, has_more_locations: false });
  expect(left).not.toHaveProperty('first_location_detected');
  expect(await siteCandidatesOf(one, 1)).toEqual([]);
  // What is deleted before it was scanned leaves nothing.
  await client.delete(`${one.path}/issues/comments/${(await comment()) as number}`);
  await heard();
  expect(await siteCandidatesOf(one, 1)).toEqual([]);
});

test('a review is scanned when it is submitted, and an issue that becomes a pull request is one', async () => {
  const one = await setting({ secret_scanning: on });
  const [body, inline] = [ownToken(), ownToken()];
  const head = await branchOf(one);
  const number = await openIssue(one, { body: ownToken() });
  await here.settle();
  expect(await siteCandidatesOf(one, 1)).toEqual(['issue_body']);
  await client.post(`${one.path}/pulls`, { issue: number, head, base: 'main' });
  await here.settle();
  expect(await siteCandidatesOf(one, 1)).toEqual(['pull_request_body']);
  const pull = `${one.path}/pulls/${number}`;
  const comments = [{ path: `${head}.md`, line: 1, body: inline }];
  const { body: review } = await client.post(`${pull}/reviews`, { body, comments });
  await here.settle();
  expect(await one.alerts()).toHaveLength(1);
  await one.turn({ secret_scanning: off });
  await here.settle();
  await one.turn({ secret_scanning: on });
  await here.settle();
  expect(await one.alerts()).toHaveLength(1);
  await client.post(`${pull}/reviews/${review.id}/events`, { event: 'COMMENT' });
  await here.settle();
  expect((await one.alerts()).map(({ secret }: { secret: string }) => secret)).toEqual(expect.arrayContaining([body, inline]));
  const { body: found } = await client.get(`${pull}/comments`);
  await client.delete(`${one.path}/pulls/comments/${found[0].id}`);
  const places = await Promise.all([2, 3].map((alert) => siteCandidatesOf(one, alert)));
  expect(places.flat()).toEqual(['pull_request_review']);
});

test('turning it on scans all texts, in batches, after the history; what is off finds nothing', async () => {
  const one = await setting();
  const head = await branchOf(one);
  const token = ownToken();
  const issue = await openIssue(one, { body: token });
  const { body: pull } = await client.post(`${one.path}/pulls`, { title: 'Merge', head, base: 'main', body: token });
  const review = { event: 'COMMENT', body: token, comments: [{ path: `${head}.md`, line: 1, body: token }] };
  await client.post(`${one.path}/pulls/${pull.number}/reviews`, review);
  // More than are read at once, of which the last holds a secret.
  const last = ownToken();
  await insertComments(one, (await issueOf(one, issue)).id, [...Array.from({ length: 2_099 }, (_, n) => `Comment ${n}`), last]);
  await here.settle();
  expect(await here.db.selectFrom('secret_alerts').select('id').where('repository_id', '=', one.repo.id).execute()).toEqual([]);
  target.requests.length = 0;
  await one.turn({ secret_scanning: on });
  await here.settle();
  const sources = target.requests
    .map(({ body }) => JSON.parse(body))
    .flatMap(({ action, source, type }) => (action === 'completed' ? [`${type} ${source}`] : []));
  expect(sources.toSorted()).toEqual(['backfill git', 'backfill issues', 'backfill pull-requests']);
  await heard();
  const alerts = await one.alerts('?direction=asc');
  expect(alerts.map(({ secret }: { secret: string }) => secret)).toEqual([token, last]);
  expect(await siteCandidatesOf(one, 1)).toEqual([
    'issue_body',
    'pull_request_body',
    'pull_request_review',
    'pull_request_review_comment',
  ]);
  const done = { status: 'completed', started_at: expect.any(String), completed_at: expect.any(String) };
  const { body: history } = await client.get(`${one.at}/scan-history`);
  expect(history.backfill_scans).toEqual([
    { type: 'issue', ...done },
    { type: 'pull-request', ...done },
    { type: 'git', ...done },
  ]);
  expect(await here.statements(owner, `${one.at}/scan-history`)).toBeLessThanOrEqual(2);
});

test('a comment that is deleted while it is scanned leaves nothing', async () => {
  const one = await setting({ secret_scanning: on });
  await openIssue(one, {});
  await here.settle();
  const { id: issue_id } = await issueOf(one, 1);
  const tokens = [ownToken(), ownToken()];
  const [gone] = await insertComments(one, issue_id, tokens);
  await here.change((scope) => scanTextsAnew(scope.tx, one.repo.id));
  // What was found waits for the repository, and meanwhile the comment goes.
  const { settling } = await here.change(async (scope) => {
    await lockRepository(scope.tx, one.repo.id);
    const settling = here.settle();
    await waitsForLock(here.db, 'for no key update');
    expect((await client.delete(`${one.path}/issues/comments/${gone?.id}`)).status).toBe(204);
    return { settling };
  });
  await settling;
  await heard();
  expect(await one.alerts()).toMatchObject([{ number: 1, secret: tokens[1] }]);
});

test('a custom pattern finds texts that were there, and what is written later, as its settings say', async () => {
  const one = await setting({ secret_scanning: on });
  const prefix = fresh('eng').replace(/[^a-z0-9]/g, '');
  const number = await openIssue(one, { body: `${prefix}-123456 ${prefix}-000000` });
  await here.settle();
  expect(await one.alerts()).toEqual([]);
  const wanted = { name: `Key of ${prefix}`, pattern: `${prefix}-[0-9]{6}`, must_not_match: ['0{6}$'] };
  const { body: made } = await client.post(`${one.at}/custom-patterns`, { patterns: [wanted] });
  await here.settle();
  const { slug } = made.created_patterns[0];
  expect(await one.alerts()).toMatchObject([{ number: 1, secret: `${prefix}-123456`, secret_type: slug }]);
  const { body: history } = await client.get(`${one.at}/scan-history`);
  expect(history.custom_pattern_backfill_scans).toMatchObject(
    ['issue', 'pull-request', 'git'].map((type) => ({ type, status: 'completed', pattern_name: wanted.name })),
  );
  await client.post(`${one.path}/issues/${number}/comments`, { body: `${prefix}-654321, not ${prefix}-000000` });
  await here.settle();
  expect(await one.alerts()).toMatchObject([{ number: 2, secret: `${prefix}-654321` }, { number: 1 }]);
  expect(await siteCandidatesOf(one, 2)).toEqual(['issue_comment']);
});

test('a secret is shown as it was written, and found again, whatever its characters', async () => {
  const one = await setting({ secret_scanning: on });
  const prefix = fresh('eng').replace(/[^a-z0-9]/g, '');
  const secret = `${prefix}-ñandú😀`;
  await client.post(`${one.at}/custom-patterns`, { patterns: [{ name: `Key of ${prefix}`, pattern: `${prefix}-[^ ]+` }] });
  await openIssue(one, { title: `My ${secret} is`, body: `☃\r\n ${secret} \r\n` });
  await one.put('a.txt', `☃ ${secret} `);
  await here.settle();
  expect(await one.alerts()).toMatchObject([{ number: 1, secret }]);
  expect((await siteCandidatesOf(one, 1)).sort()).toEqual(['commit', 'issue_body', 'issue_title']);
});

test('what was written while scanning was turned off and on again is found', async () => {
  const one = await setting({ secret_scanning: on });
  const issue = await issueOf(one, await openIssue(one, {}));
  await here.settle();
  await one.turn({ secret_scanning: off });
  const token = ownToken();
  await insertComments(one, issue.id, [token]);
  await one.turn({ secret_scanning: on });
  await here.settle();
  expect(await one.alerts()).toMatchObject([{ secret: token }]);
});

test('texts that came by an import, or before the server knew of them, are scanned', async () => {
  const one = await setting({ secret_scanning: on });
  await one.put('a.txt', 'one');
  await here.settle();
  const issueWith = (number: number, body: string) =>
    here.db
      .insertInto('issues')
      .values({
        repository_id: one.repo.id,
        number,
        title: 'From elsewhere',
        body,
        created_at: here.clock.now,
        updated_at: here.clock.now,
      })
      .execute();
  const [brought, old] = [ownToken(), ownToken()];
  await issueWith(1, brought);
  await here.change((scope) => enqueueImportedIssues(scope.tx, one.repo.id));
  await here.settle();
  expect(await one.alerts()).toMatchObject([{ secret: brought }]);
  await issueWith(2, old);
  await here.db.deleteFrom('secret_scans').where('repository_id', '=', one.repo.id).where('source', '=', 'texts').execute();
  await here.change((scope) => enqueue(scope.tx, scanForNewPatterns, {}));
  await here.settle();
  expect(await one.alerts()).toMatchObject([{ secret: old }, { secret: brought }]);
  const scans = here.db.selectFrom('secret_scans').select('type').where('repository_id', '=', one.repo.id);
  expect(await scans.where('source', '=', 'texts').execute()).toEqual([{ type: 'backfill' }]);
});

test('who writes a secret and may not see alerts learns nothing of its alert', async () => {
  const one = await setting({ secret_scanning: on, visibility: 'public' });
  const stranger = await here.user();
  const asStranger = await here.as(stranger);
  const { status } = await asStranger.post(`${one.path}/issues`, { title: 'Help', body: `My key is ${ownToken()}` });
  expect(status).toBe(201);
  const told = await heard();
  expect(told['secret_scanning_alert.created']).toMatchObject({ sender: { login: stranger.login } });
  for (const at of ['alerts', 'alerts/1', 'alerts/1/locations'])
    expect([403, 404]).toContain((await asStranger.get(`${one.at}/${at}`)).status);
  expect((await asStranger.get('/notifications')).body).toEqual([]);
  const { body: threads } = await client.get(`${one.path}/notifications`);
  expect(threads.filter(({ reason }: { reason: string }) => reason === 'security_alert')).toMatchObject([
    { subject: { type: 'SecretScanningAlert', url: expect.stringContaining(`${one.at}/alerts/1`) } },
  ]);
});

test('a batch costs as many statements for 1 text as for 40, and one where nothing is scanned', async () => {
  const [one, other] = [await setting({ secret_scanning: on }), await setting()];
  const { db } = here;
  const batchOf = async ({ repo, path }: Setting, count: number) => {
    const number = await openIssue({ ...one, path }, {});
    for (let at = 0; at < count; at++) await client.post(`${path}/issues/${number}/comments`, { body: `Comment ${at}` });
    const comments = await db
      .selectFrom('issue_comments')
      .selectAll()
      .where('repository_id', '=', repo.id)
      .orderBy('id', 'desc')
      .limit(count)
      .execute();
    const scope = { owner: repo.owner_id, repository: repo.id, actor: owner.id, at: here.clock.now };
    const events = comments.map(({ id: comment, issue_id: issue }, at) => ({
      id: at as never,
      kind: 'issue_comment.created' as const,
      ...scope,
      data: { issue, comment },
    }));
    const context = here.jobContext();
    return (await countStatements(() => scanWritten.runAll(events, context))).statements.length;
  };
  expect(await batchOf(one, 1)).toBe(3);
  expect(await batchOf(one, 40)).toBe(3);
  expect(await batchOf(other, 1)).toBe(1);
  await here.settle();
});
