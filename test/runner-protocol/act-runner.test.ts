import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { repoOf } from '#git/store.ts';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { startActionsOrigin } from '#test/support/actions-origin.ts';
import { commitFiles } from '#test/support/commit.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';

const origin = await startActionsOrigin();
const here = await world({ actionsOrigin: origin.url });
const { user, repo: makeRepo, change, clock, db, settle, as } = here;
const ada = await user('ada');
const repo = await makeRepo(ada, { name: 'engine' });

const workflow = `name: CI
on: push
env:
  GREETING: hello
jobs:
  build:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        size: [small, large]
    outputs:
      made: \${{ steps.make.outputs.made }}
    steps:
      - id: make
        name: Make it
        run: |
          echo "$GREETING \${{ matrix.size }}"
          echo "made=\${{ matrix.size }}" >> "$GITHUB_OUTPUT"
  check:
    needs: build
    runs-on: [self-hosted, ubuntu-latest]
    steps:
      - run: test "\${{ needs.build.result }}" = success
      - run: test -n "\${{ needs.build.outputs.made }}"
  never:
    needs: check
    if: failure()
    runs-on: ubuntu-latest
    steps:
      - run: exit 1
`;

/** A runner of a repository, which works until the end of the file. */
async function start({ id }: { id: typeof repo.id }) {
  const { token } = await change((scope) =>
    createRunnerToken(scope, { repository: id }, { purpose: 'registration', now: clock.now }),
  );
  return startActRunner(here.url, { token });
}

test.skipIf(!hasActRunner)('a pushed workflow runs to its end', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  await start(repo);
  await commitFiles(here, repo, { '.github/workflows/ci.yml': workflow });
  await settle();
  const runs = () => db.selectFrom('workflow_runs').selectAll().where('repository_id', '=', repo.id).execute();
  const jobs = () =>
    db.selectFrom('workflow_jobs').select(['key', 'name', 'status', 'conclusion', 'outputs']).orderBy('id').execute();
  await expect
    .poll(async () => (await runs()).map(({ status, conclusion }) => [status, conclusion]))
    .toEqual([['completed', 'success']]);
  expect(await jobs()).toMatchObject([
    { key: 'build', name: 'build (small)', conclusion: 'success', outputs: { made: 'small' } },
    { key: 'build', name: 'build (large)', conclusion: 'success', outputs: { made: 'large' } },
    { key: 'check', name: 'check', conclusion: 'success' },
    { key: 'never', name: 'never', conclusion: 'skipped' },
  ]);
});

/**
 * An action that leaves a file behind, or reads the one that an earlier job has left. It takes the server for one that has
 * artifacts.
 */
const action = `import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
process.env.GITHUB_SERVER_URL = 'http://hearth.localhost';
const { DefaultArtifactClient } = await import('${import.meta.resolve('@actions/artifact')}');
const client = new DefaultArtifactClient();
const folder = process.env.RUNNER_TEMP;
const file = join(folder, 'made.txt');
if (process.env.INPUT_MODE === 'upload') {
  await writeFile(file, 'made here');
  await client.uploadArtifact('made', [file], folder);
} else {
  await client.downloadArtifact((await client.getArtifact('made')).artifact.id, { path: folder });
  if ((await readFile(file, 'utf8')) !== 'made here') process.exit(1);
}
`;

const handingOn = `on: push
jobs:
  make:
    runs-on: ubuntu-latest
    steps:
      - uses: ada/artifact@main
        with: {mode: upload}
  take:
    needs: make
    runs-on: ubuntu-latest
    steps:
      - uses: ada/artifact@main
        with: {mode: download}
`;

test.skipIf(!hasActRunner)('a job hands a file on to the next one as an artifact', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  const actions = await makeRepo(ada, { name: 'artifact' });
  const using = { name: 'artifact', inputs: { mode: { required: true } }, runs: { using: 'node20', main: 'index.mjs' } };
  await commitFiles(here, actions, { 'action.yml': JSON.stringify(using), 'index.mjs': action });
  const other = await makeRepo(ada, { name: 'handing-on' });
  const runner = await start(other);
  await commitFiles(here, other, { '.github/workflows/ci.yml': handingOn });
  await settle();
  const runs = db.selectFrom('workflow_runs').select('conclusion').where('repository_id', '=', other.id);
  await expect.poll(async () => (await runs.execute()).map(({ conclusion }) => conclusion)).not.toEqual([null]);
  expect(
    (await runs.execute()).map(({ conclusion }) => conclusion),
    runner.log(),
  ).toEqual(['success']);
  expect(await db.selectFrom('artifacts').select(['name', 'upload_id']).execute()).toEqual([{ name: 'made', upload_id: null }]);
});

const caller = (tool: string, shared: string) => `name: Calls
on: push
permissions: {contents: read, id-token: write}
jobs:
  call:
    uses: ./.github/workflows/called.yml
    with: {who: "it's"}
    secrets: {key: "\${{ secrets.KEY }}"}
  actions:
    needs: call
    runs-on: ubuntu-latest
    steps:
      - run: test "\${{ needs.call.outputs.made }}" = "made for it's 2"
      - id: tool
        uses: ${tool}/greet@main
        with: {who: ada}
      - run: test "\${{ steps.tool.outputs.greeting }}" = "hello ada"
      - id: shared
        uses: ${shared}@v1
      - run: test "\${{ steps.shared.outputs.sum }}" = 3
      - run: |
          curl -sf -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=a" > token
          grep '^{"value":"ey' token > /dev/null
`;

const called = `on:
  workflow_call:
    inputs:
      who: {type: string, required: true}
      more: {type: number, default: 2}
      quiet: {type: boolean}
    secrets:
      key: {required: true}
    outputs:
      made: {value: "\${{ jobs.make.outputs.made }}"}
env:
  WHO: \${{ inputs.who }}
jobs:
  make:
    runs-on: ubuntu-latest
    outputs:
      made: \${{ steps.make.outputs.made }}
    steps:
      - id: make
        if: inputs.more > 1 && !inputs.quiet
        run: echo "made=made for $WHO \${{ inputs.more }}" >> "$GITHUB_OUTPUT"
      - if: \${{ inputs.quiet }}
        run: exit 1
      - run: test "\${{ secrets.key }}-\${{ secrets.KEY }}-\${{ github.event_name }}" = "the key-the key-push"
      - run: test "\${{ secrets.HIDDEN }}\${{ inputs.none }}" = ""
`;

test.skipIf(!hasActRunner)('a workflow calls another, and its actions come from this server', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  const [app, tool, shared] = [
    await makeRepo(ada, { name: 'app', visibility: 'private' }),
    await makeRepo(ada, { name: 'tool' }),
    await makeRepo(ada, { name: 'shared', visibility: 'private' }),
  ];
  const client = await as(ada);
  for (const [name, value] of Object.entries({ KEY: 'the key', HIDDEN: 'hidden' })) {
    const path = `/repos/${ada.login}/app/actions/secrets`;
    await client.put(`${path}/${name}`, await sealedFor(client, `${path}/public-key`, value));
  }
  await client.put(`/repos/${ada.login}/shared/actions/permissions/access`, { access_level: 'user' });
  await commitFiles(here, tool, {
    'greet/action.yml': 'inputs: {who: {required: true}}\noutputs: {greeting: {}}\nruns: {using: node20, main: main.js}\n',
    'greet/main.js':
      "require('fs').appendFileSync(process.env.GITHUB_OUTPUT, 'greeting=hello ' + process.env.INPUT_WHO + '\\n');\n",
  });
  const commit = await commitFiles(here, shared, {
    'action.yml':
      `outputs: {sum: {value: "\${{ steps.add.outputs.sum }}"}}\nruns:\n  using: composite\n  steps:\n    - id: add\n` +
      '      shell: bash\n      run: echo "sum=$((1 + 2))" >> "$GITHUB_OUTPUT"\n',
  });
  await client.post(`/repos/${ada.login}/shared/git/refs`, { ref: 'refs/tags/v1', sha: commit });
  const { token } = await change((scope) =>
    createRunnerToken(scope, { repository: app.id }, { purpose: 'registration', now: clock.now }),
  );
  await startActRunner(here.url, { token, name: 'r2' });
  await commitFiles(here, app, {
    '.github/workflows/ci.yml': caller(`${ada.login}/tool`, `${ada.login}/shared`),
    '.github/workflows/called.yml': called,
  });
  await settle();
  const jobs = () =>
    db.selectFrom('workflow_jobs').select(['name', 'conclusion']).where('repository_id', '=', app.id).orderBy('id').execute();
  await expect.poll(jobs, { timeout: 20_000 }).toEqual([
    { name: 'call / make', conclusion: 'success' },
    { name: 'actions', conclusion: 'success' },
  ]);
  const tokens = await db.selectFrom('workflow_jobs').select('token_id').execute();
  expect(tokens.every(({ token_id }) => token_id === null)).toBe(true);
});

test('a runner reads all actions below one address, which is the same for every job', async () => {
  const elsewhere = await makeRepo(ada);
  const uses = [`${ada.login}/${elsewhere.name}@main`, 'none/at-all/sub@v2', './own'];
  const steps = uses.map((name) => `      - uses: ${name}\n`).join('');
  await commitFiles(here, elsewhere, {
    '.github/workflows/ci.yml': `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`,
  });
  await settle();
  const task = await (await startRunner(here, elsewhere)).fetch();
  const { jobs } = JSON.parse(Buffer.from(task?.workflowPayload ?? []).toString());
  expect(jobs.a.steps).toEqual(uses.map((name) => ({ uses: name })));
  expect(task?.context?.gitea_default_actions_url).toBe(`${here.url}/-/actions`);
  expect(Object.keys(task?.secrets ?? {})).toEqual(['GITHUB_TOKEN']);
});

/** A composite action of these steps, which adds its name to a file. */
const composite = (name: string, ...uses: string[]) => {
  const steps = [{ shell: 'bash', run: `echo ${name} >> used` }, ...uses.map((action) => ({ uses: action }))];
  return { 'action.yml': JSON.stringify({ runs: { using: 'composite', steps } }) };
};

test.skipIf(!hasActRunner)('actions of the origin use others, and a job those that are shared with it', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  const git = here.hearth.services.git;
  const [app, open, shared] = [
    await makeRepo(ada, { visibility: 'private' }),
    await makeRepo(ada),
    await makeRepo(ada, { visibility: 'private' }),
  ];
  const client = await as(ada);
  await client.put(`/repos/ada/${shared.name}/actions/permissions/access`, { access_level: 'user' });
  await commitFiles(here, open, composite('open'));
  await commitFiles(here, shared, composite('shared', 'elsewhere/inner@main'));
  for (const [name, files] of Object.entries({
    outer: composite('outer', 'elsewhere/inner@main', `ada/${open.name}@main`),
    inner: composite('inner'),
  })) {
    const hidden = await makeRepo(await user(), { visibility: 'private' });
    await commitFiles(here, hidden, files);
    origin.repos.set(`elsewhere/${name}`, repoOf(git, hidden.id));
  }
  const uses = ['elsewhere/outer@main', `ada/${shared.name}@main`, `ada/${app.name}/own@main`];
  const steps = uses.map((name) => `      - uses: ${name}\n`).join('');
  const job =
    `    runs-on: ubuntu-latest\n    steps:\n${steps}      - run: test "$(echo $(cat used))" = "outer inner open ` +
    'shared inner own"\n';
  const { 'action.yml': own } = composite('own');
  const runner = await start(app);
  // The second job asks again for what the runner has kept.
  const file = `on: push\njobs:\n  first:\n${job}  second:\n    needs: first\n${job}`;
  await commitFiles(here, app, { 'own/action.yml': own, '.github/workflows/ci.yml': file });
  await settle();
  const runs = async () => (await client.get(`/repos/ada/${app.name}/actions/runs`)).body.workflow_runs;
  await expect.poll(async () => (await runs())[0].status, { timeout: 20_000 }).toBe('completed');
  expect((await runs())[0].conclusion, runner.log()).toBe('success');
  expect(origin.requests.length).toBeGreaterThan(5);
  for (const { headers } of origin.requests) expect(headers).not.toHaveProperty('authorization');
});

// A runner on a host kills the shell of a step alone, and waits for what that has started: so `sleep` takes the place of the
// shell.
const slow = `on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: echo begun
      - run: exec sleep 600
      - run: echo never
`;

test.skipIf(!hasActRunner)('a job is cancelled in the middle of a step', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  const slowly = await makeRepo(ada, { name: 'slow' });
  await start(slowly);
  await commitFiles(here, slowly, { '.github/workflows/slow.yml': slow });
  await settle();
  const client = await here.as(ada);
  const base = '/repos/ada/slow/actions/runs';
  const [run] = (await client.get(base)).body.workflow_runs;
  const [job] = (await client.get(`${base}/${run.id}/jobs`)).body.jobs;
  const steps = async () =>
    (await client.get(`${base}/${run.id}/jobs`)).body.jobs[0].steps.map(
      (step: { status: string; conclusion: string | null }) => step.conclusion ?? step.status,
    );
  await expect.poll(steps).toEqual(['success', 'success', 'in_progress', 'queued', 'queued']);
  expect((await client.post(`${base}/${run.id}/cancel`)).status).toBe(202);
  await expect.poll(async () => (await client.get(`${base}/${run.id}`)).body.conclusion).toBe('cancelled');
  expect((await client.get(`/repos/ada/slow/actions/jobs/${job.id}`)).body.conclusion).toBe('cancelled');
  const [, first, ...others] = await steps();
  expect(first).toBe('success');
  expect(others.slice(0, 2)).not.toContain('success');
  await settle();
  const { headers } = await client.get(`/repos/ada/slow/actions/jobs/${job.id}/logs`);
  const log = await (await fetch(headers.location ?? '')).text();
  expect(log).toMatch(/begun/);
  expect(log).not.toMatch(/never$/m);
});

test.skipIf(!hasActRunner)('the workflow of the walk-through in docs/actions.md passes, and its log says hello', async () => {
  const [, indented = ''] = /^ {3}```yaml\n([\s\S]*?)^ {3}```$/m.exec(await readFile('docs/actions.md', 'utf8')) ?? [];
  const hello = await makeRepo(ada);
  const token = await here.token(ada, ['repo', 'workflow']);
  const client = await as(token);
  const path = `/repos/ada/${hello.name}/actions`;
  const registration = await client.post(`${path}/runners/registration-token`);
  await startActRunner(here.url, { token: registration.body.token, name: 'r2' });
  await commitFiles(here, hello, { '.github/workflows/ci.yml': indented.replace(/^ {3}/gm, '') });
  await settle();
  const runs = async () => (await client.get(`${path}/runs`)).body.workflow_runs;
  await expect.poll(async () => (await runs())[0]).toMatchObject({ status: 'completed', conclusion: 'success' });
  const [{ id }] = await runs();
  const [job] = (await client.get(`${path}/runs/${id}/jobs`)).body.jobs;
  const log = await fetch(`${here.url}/api/v3${path}/jobs/${job.id}/logs`, { headers: { authorization: `Bearer ${token}` } });
  expect(await log.text()).toContain(`Hello from ada/${hello.name} at `);
});
