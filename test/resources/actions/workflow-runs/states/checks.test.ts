import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { ciPath, pushWorkflow } from '../setting.ts';

const w = await world({ vocabulary: 'github' });

async function setting(files?: { [path: string]: string }) {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const commit = await pushWorkflow(w, repo, files);
  const checks = async () => (await client.get(`${base}/commits/${commit}/check-runs`)).body.check_runs;
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  return { ada, repo, client, base, commit, checks, run };
}

test('each job is a check of the built-in app, with what its log says of files', async () => {
  const { repo, client, base, checks, run } = await setting();
  const [queued] = await checks();
  const page = `${run.html_url}/job/`;
  expect(queued).toMatchObject({
    name: 'build',
    status: 'queued',
    app: { slug: 'hearth-actions' },
    check_suite: { id: run.check_suite_id },
  });
  expect(queued.details_url.startsWith(page)).toBe(true);
  const runner = await startRunner(w, repo);
  const build = await runner.fetch();
  if (!build) throw new Error('No job');
  expect(queued.details_url).toBe(`${page}${build.id}`);
  expect(await checks()).toMatchObject([{ status: 'in_progress' }]);
  await runner.log(build, [
    'start',
    '::error file=src/a.js,line=3,col=5,title=Lint::No%0Asemicolon',
    '::notice::Said of nothing',
    'a::b',
  ]);
  await runner.end(build, 'failure');
  await w.settle();
  const [skipped, failed] = await checks();
  expect(skipped).toMatchObject({ name: 'check', status: 'completed', conclusion: 'skipped' });
  expect(failed).toMatchObject({ status: 'completed', conclusion: 'failure', output: { annotations_count: 2 } });
  expect((await client.get(`${base}/check-runs/${failed.id}/annotations`)).body).toMatchObject([
    { path: 'src/a.js', start_line: 3, start_column: 5, annotation_level: 'failure', title: 'Lint', message: 'No\nsemicolon' },
    { path: '.github', start_line: 1, annotation_level: 'notice', message: 'Said of nothing' },
  ]);
  expect((await client.get(`${base}/actions/jobs/${build.id}`)).body.check_run_url).toBe(failed.url);
  expect((await client.get(`${base}/check-suites/${run.check_suite_id}`)).body).toMatchObject({ conclusion: 'failure' });
  expect((await client.get(`${base}/actions/runs?check_suite_id=${run.check_suite_id}`)).body.total_count).toBe(1);
  // An attempt has checks of its own, which are the latest.
  await client.post(`${base}/actions/runs/${run.id}/rerun-failed-jobs`);
  expect((await checks())[0]).toMatchObject({ name: 'build', status: 'queued' });
});

test('what a script, a quotation or a stopped command says of files is no annotation', async () => {
  const { repo, client, base, checks } = await setting();
  const runner = await startRunner(w, repo);
  const build = await runner.fetch();
  if (!build) throw new Error('No job');
  await runner.log(build, [
    '::group::Run echo "::error::Quoted"',
    'echo "::error::Quoted"',
    '::error::In a text of the script',
    'shell: bash -e {0}',
    '::endgroup::',
    '  ❗  ::error::Said behind a sign',
    'He wrote ::error::Told of',
    '::group::Run tests',
    '::warning::Said in a group',
    '::endgroup::',
    '::stop-commands::word',
    '::error::Stopped',
    '::word::',
    '::group::Run more',
    '::notice::Said in a group without an end',
  ]);
  await runner.end(build, 'failure');
  await w.settle();
  const failed = (await checks())[1];
  const { body } = await client.get(`${base}/check-runs/${failed.id}/annotations`);
  expect(body.map(({ message }: { message: string }) => message)).toEqual([
    'Said behind a sign',
    'Said in a group',
    'Said in a group without an end',
  ]);
});

test('of more than there is room for, the first annotations are kept', async () => {
  const { repo, client, base, checks } = await setting();
  const runner = await startRunner(w, repo);
  const build = await runner.fetch();
  if (!build) throw new Error('No job');
  const title = `x${'😀'.repeat(200)}`; // which is cut within a character
  const many = Array.from({ length: 150_000 }, () => '::error::Many');
  await runner.log(build, [
    ...['::group::Run script', '::error::Quoted', 'shell: bash -e {0}', '::error::Quoted', '::endgroup::'],
    ...[`::notice title=${title}::First`, '::group::Run tests', ...many, '::endgroup::', '::error::Last'],
  ]);
  await runner.end(build, 'failure');
  await w.settle();
  const failed = (await checks())[1];
  expect(failed.output.annotations_count).toBe(50);
  const { body } = await client.get(`${base}/check-runs/${failed.id}/annotations`);
  expect(body.slice(0, 2)).toMatchObject([{ message: 'First', title: title.slice(0, 255).toWellFormed() }, { message: 'Many' }]);
});

test('a file that can’t be run is a failed check, with its problems at their lines', async () => {
  const { client, base, checks, run } = await setting({ [ciPath]: 'name: CI\non: push\njobs:\n  build:\n    steps: []\n' });
  expect(run).toMatchObject({ conclusion: 'startup_failure' });
  const [check] = await checks();
  expect(check).toMatchObject({ conclusion: 'failure', output: { title: 'The workflow file cannot be run' } });
  const [annotation] = (await client.get(`${base}/check-runs/${check.id}/annotations`)).body;
  expect(annotation).toMatchObject({ path: ciPath, annotation_level: 'failure' });
  expect(annotation.start_line).toBeGreaterThan(3);
  expect((await client.post(`${base}/actions/runs/${run.id}/rerun`)).status).toBe(403);
});

test('a job satisfies a required check', async () => {
  const { repo, client, base } = await setting();
  await client.put(`${base}/branches/main/protection`, {
    required_status_checks: { strict: false, contexts: ['build'] },
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
  });
  const { body: main } = await client.get(`${base}/git/ref/heads/main`);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main.object.sha });
  const content = Buffer.from('x').toString('base64');
  await client.put(`${base}/contents/b.txt`, { message: 'Add', content, branch: 'topic' });
  const { body: pull } = await client.post(`${base}/pulls`, { title: 'T', head: 'topic', base: 'main' });
  await w.settle();
  expect((await client.put(`${base}/pulls/${pull.number}/merge`)).status).toBe(405);
  const runner = await startRunner(w, repo);
  for (let task = await runner.fetch(); task; task = await runner.fetch()) await runner.end(task, 'success');
  expect((await client.put(`${base}/pulls/${pull.number}/merge`)).status).toBe(200);
});

test('runs lead to no endless further ones: not by their checks, and by their ends three times', async () => {
  const skipped = 'jobs:\n  never:\n    if: false\n    runs-on: ubuntu-latest\n    steps:\n      - run: test\n';
  const { client, base } = await setting({
    [ciPath]: `name: CI\non:\n  push:\n  workflow_run:\n    workflows: [CI]\n    types: [completed]\n${skipped}`,
    '.github/workflows/checked.yml': `name: Checked\non: [check_run, check_suite]\n${skipped}`,
  });
  const { workflow_runs } = (await client.get(`${base}/actions/runs`)).body;
  expect(workflow_runs.map(({ name, event }: { name: string; event: string }) => [name, event])).toEqual([
    ['CI', 'workflow_run'],
    ['CI', 'workflow_run'],
    ['CI', 'workflow_run'],
    ['CI', 'push'],
  ]);
});
