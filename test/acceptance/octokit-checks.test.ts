import { App, Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { findAppById, installApp, offerManifest } from '#resources/repositories/apps/index.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { receiver } from '#test/support/receiver.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

const ofServer = Octokit.defaults({
  baseUrl: `${here.url}/api/v3`,
  throttle: { enabled: false },
  retry: { enabled: false },
});

test('an unmodified Octokit app is asked for checks by a push, reports a failing and then a passing run, and people read them', async () => {
  here.clock.now = new Date(); // the app signs its own word by the real time
  const ada = await here.user();
  const org = await here.org(ada);
  const { id: repository, name: repo } = await here.repo(org, { by: ada, visibility: 'private' });
  const target = await receiver();
  const manifest = {
    name: fresh('checker'),
    url: 'https://app.example',
    hook_attributes: { url: target.url },
    default_permissions: { checks: 'write' },
  };
  const code = await here.change((scope) => offerManifest(scope, { manifest, owner: ada, by: ada, now: here.clock.now }));
  const { body: made } = await (await here.as(undefined)).post(`/app-manifests/${code}/conversions`);
  const row = await findAppById(here.db, made.id);
  if (!row) throw new Error('The app is there');
  const wanted = { app: row, account: org, repositories: [repository], by: ada, now: here.clock.now };
  await here.change((scope) => installApp(scope, wanted));

  const told: string[] = [];
  const app = new App({
    appId: made.id,
    privateKey: made.pem,
    webhooks: { secret: made.webhook_secret },
    Octokit: ofServer,
  });
  const output = { title: 'Tests', summary: '1 of 7 failed' };
  const annotation = { path: 'a.ts', start_line: 2, end_line: 2, annotation_level: 'failure', message: 'No' } as const;
  app.webhooks.on('check_suite.requested', async ({ octokit, payload }) => {
    const { owner, name } = payload.repository;
    told.push(`requested ${payload.check_suite.head_branch}`);
    const { head_sha } = payload.check_suite;
    const about = { owner: owner.login, repo: name };
    const { data } = await octokit.rest.checks.create({ ...about, name: 'tests', head_sha, status: 'in_progress' });
    await octokit.rest.checks.update({
      ...about,
      check_run_id: data.id,
      conclusion: 'failure',
      output: { ...output, annotations: [annotation] },
    });
  });
  app.webhooks.on('check_run.rerequested', async ({ octokit, payload }) => {
    const { owner, name } = payload.repository;
    const { head_sha, name: run } = payload.check_run;
    await octokit.rest.checks.create({ owner: owner.login, repo: name, name: run, head_sha, conclusion: 'success' });
  });
  /** Hands on what was sent, with its signature, as a server of the app does. */
  const deliver = async () => {
    await here.settle();
    for (const { headers, body } of target.requests.splice(0))
      await app.webhooks.verifyAndReceive({
        id: String(headers['x-github-delivery']),
        name: String(headers['x-github-event']),
        payload: body,
        signature: String(headers['x-hub-signature-256']),
      });
  };

  const person = new ofServer({ auth: await here.token(ada, ['repo']) });
  const about = { owner: org.login, repo };
  const { commit: ref } = await addFile(await here.as(ada), `/repos/${org.login}/${repo}`);
  await deliver();
  expect(told).toEqual(['requested main']);

  const { checks } = person.rest;
  const runs = await person.paginate(checks.listForRef, { ...about, ref });
  expect(runs).toMatchObject([
    { name: 'tests', conclusion: 'failure', app: { slug: made.slug }, output: { annotations_count: 1 } },
  ]);
  const check_run_id = runs[0]?.id ?? 0;
  expect((await checks.listAnnotations({ ...about, check_run_id })).data).toMatchObject([annotation]);
  const { data: suites } = await checks.listSuitesForRef({ ...about, ref: 'main' });
  expect(suites).toMatchObject({ total_count: 1, check_suites: [{ status: 'completed', conclusion: 'failure' }] });
  const check_suite_id = suites.check_suites[0]?.id ?? 0;
  await expect(checks.create({ ...about, name: 'mine', head_sha: ref })).rejects.toMatchObject({ status: 403 });

  const [installation] = await here.db.selectFrom('installations').select('id').where('app_id', '=', made.id).execute();
  const own = await app.getInstallationOctokit(installation?.id ?? 0);
  expect((await own.rest.checks.rerequestRun({ ...about, check_run_id })).status).toBe(201);
  expect((await checks.getSuite({ ...about, check_suite_id })).data).toMatchObject({ status: 'queued', conclusion: null });
  await deliver();
  expect((await checks.getSuite({ ...about, check_suite_id })).data).toMatchObject({
    status: 'completed',
    conclusion: 'success',
    latest_check_runs_count: 1,
  });
  const all = await person.paginate(checks.listForSuite, { ...about, check_suite_id, filter: 'all', per_page: 1 });
  expect(all.map(({ conclusion }) => conclusion)).toEqual(['success', 'failure']);
  expect((await checks.get({ ...about, check_run_id })).data.conclusion).toBe('failure');

  const set = await checks.setSuitesPreferences({ ...about, auto_trigger_checks: [{ app_id: made.id, setting: false }] });
  expect(set.data.preferences.auto_trigger_checks).toEqual([{ app_id: made.id, setting: false }]);
  await deliver();
  const { commit: second } = await addFile(await here.as(ada), `/repos/${org.login}/${repo}`);
  await deliver();
  expect(told).toHaveLength(1);
  const { status, data: suite } = await own.rest.checks.createSuite({ ...about, head_sha: second });
  expect(status).toBe(201);
  expect((await own.rest.checks.rerequestSuite({ ...about, check_suite_id: suite.id })).status).toBe(201);
  await here.settle();
  expect(target.requests.map(({ headers, body }) => [headers['x-github-event'], JSON.parse(body).action])).toEqual([
    ['check_suite', 'rerequested'],
  ]);
});
