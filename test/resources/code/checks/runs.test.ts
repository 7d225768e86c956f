import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { addDays } from '#lib/time.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';
import { checker, setting } from './setting.ts';

const w = await world();

/** What the schedule does each hour. */
async function concludeStale(): Promise<void> {
  await sql`select jobs.add_job('checks.conclude-stale')`.execute(w.db);
  await w.settle();
}

test('a run is created, changed and completed, and its suite follows', async () => {
  const { client, base, commit, app, run } = await setting(w);
  const { status, body } = await run({ name: 'tests', external_id: '42', details_url: 'https://ci.example/42' });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    name: 'tests',
    head_sha: commit,
    status: 'queued',
    conclusion: null,
    started_at: '2026-01-01T00:00:00Z',
    completed_at: null,
    external_id: '42',
    details_url: 'https://ci.example/42',
    output: { title: null, summary: null, text: null, annotations_count: 0 },
    app: { id: app.app },
    pull_requests: [],
    url: `${w.url}/api/v3${base}/check-runs/${body.id}`,
  });
  const suite = async () => (await client.get(`${base}/check-suites/${body.check_suite.id}`)).body;
  expect(await suite()).toMatchObject({
    head_sha: commit,
    head_branch: 'main',
    status: 'queued',
    conclusion: null,
    latest_check_runs_count: 1,
    head_commit: { id: commit },
    repository: { full_name: base.slice('/repos/'.length) },
    pull_requests: [],
  });
  const path = `${base}/check-runs/${body.id}`;
  const started = await app.client.patch(path, { status: 'in_progress', started_at: '2026-01-01T00:05:00+01:00' });
  expect(started).toMatchObject({ status: 200, body: { status: 'in_progress', started_at: '2025-12-31T23:05:00Z' } });
  expect(await suite()).toMatchObject({ status: 'in_progress', conclusion: null });
  const output = { title: 'Tests', summary: '**1** failure', text: 'See below' };
  const done = await app.client.patch(path, { conclusion: 'failure', output });
  expect(done).toMatchObject({
    status: 200,
    body: { status: 'completed', conclusion: 'failure', completed_at: '2026-01-01T00:00:00Z', output },
  });
  expect(await suite()).toMatchObject({ status: 'completed', conclusion: 'failure' });
  expect((await client.get(path)).body).toEqual(done.body);
  // What is left out of an output stays.
  const { body: later } = await app.client.patch(path, { output: { summary: 'All well' }, status: 'in_progress' });
  expect(later).toMatchObject({ conclusion: null, completed_at: null, output: { ...output, summary: 'All well' } });
  expect(await suite()).toMatchObject({ status: 'in_progress', conclusion: null });
});

test("without an address of its own, a run leads to its app's", async () => {
  const { run } = await setting(w);
  expect((await run({ name: 'tests' })).body).toMatchObject({ details_url: 'https://app.example', external_id: '' });
});

test('a conclusion completes a run whatever its status says, and nothing else does', async () => {
  const { base, app, run } = await setting(w);
  const { body } = await run({ name: 'tests', status: 'queued', conclusion: 'neutral', completed_at: '2025-06-01T10:00:00Z' });
  expect(body).toMatchObject({ status: 'completed', conclusion: 'neutral', completed_at: '2025-06-01T10:00:00Z' });
  const open = (await run({ name: 'open' })).body.id;
  const bad = [
    { status: 'completed' },
    { completed_at: '2026-01-01T00:00:00Z' },
    { conclusion: 'stale' },
    { conclusion: 'great' },
    { status: 'waiting' },
  ];
  await w.unchanged(['check_runs', 'check_suites', 'events'], async () => {
    for (const wanted of bad) {
      expect((await run({ name: 'other', ...wanted })).status, JSON.stringify(wanted)).toBe(422);
      expect((await app.client.patch(`${base}/check-runs/${open}`, wanted)).status, JSON.stringify(wanted)).toBe(422);
    }
  });
});

test('bad bodies are refused and change nothing', async () => {
  const { base, app, commit, run } = await setting(w);
  const { id } = (await run({ name: 'open' })).body;
  const annotation = { path: 'a.ts', start_line: 1, end_line: 1, annotation_level: 'warning', message: 'No' };
  const output = { title: 'T', summary: 'S' };
  const shared = [
    { details_url: 'javascript:alert(1)' },
    { details_url: 'nowhere' },
    { started_at: 'yesterday' },
    { external_id: 'x'.repeat(1_025) },
    { actions: Array.from({ length: 4 }, () => ({ label: 'a', description: 'b', identifier: 'c' })) },
    { actions: [{ label: 'x'.repeat(21), description: 'b', identifier: 'c' }] },
    { actions: [{ label: 'a', description: 'x'.repeat(41), identifier: 'c' }] },
    { actions: [{ label: 'a', description: 'b', identifier: 'x'.repeat(21) }] },
    { actions: [{ label: 'a' }] },
    { output: { title: 'no summary' } },
    { output: { ...output, summary: 'x'.repeat(65_536) } },
    { output: { ...output, text: 'x'.repeat(65_536) } },
    { output: { ...output, title: 'x'.repeat(65_536) } },
    { output: { ...output, images: [{ alt: 'x' }] } },
    { output: { ...output, images: [{ alt: 'x', image_url: 'data:image/png,x' }] } },
    { output: { ...output, annotations: Array.from({ length: 51 }, () => annotation) } },
    ...[
      { path: '' },
      { start_line: 0 },
      { start_line: 3, end_line: 2 },
      { start_line: 1, end_line: 2, start_column: 1 },
      { start_column: 5, end_column: 4 },
      { annotation_level: 'error' },
      { message: '' },
      { message: 'é'.repeat(32_769) },
      { raw_details: 'é'.repeat(32_769) },
      { title: 'x'.repeat(256) },
      { start_line: 2 ** 31 },
    ].map((more) => ({ output: { ...output, annotations: [annotation, { ...annotation, ...more }] } })),
  ];
  const created = [{ name: '' }, { name: 'x'.repeat(256) }, { name: undefined }, { output: { summary: 'no title' } }];
  await w.unchanged(['check_runs', 'check_suites', 'check_annotations', 'events'], async () => {
    for (const body of [...shared, ...created])
      expect((await run({ name: 'other', ...body })).status, JSON.stringify(body).slice(0, 200)).toBe(422);
    for (const body of shared)
      expect((await app.client.patch(`${base}/check-runs/${id}`, body)).status, JSON.stringify(body).slice(0, 200)).toBe(422);
    for (const sha of ['main', commit.slice(0, 10), '0'.repeat(40)]) {
      const refused = await run({ name: 'other', head_sha: sha });
      expect(refused).toMatchObject({ status: 422, body: { message: `No commit found for SHA: ${sha}` } });
      expect((await app.client.post(`${base}/check-suites`, { head_sha: sha })).status, sha).toBe(422);
    }
  });
});

test('annotations accumulate, and are listed in their order', async () => {
  const { ada, client, base, commit, app, run } = await setting(w);
  const annotation = (line: number) => ({
    path: 'src/main file.ts',
    start_line: line,
    end_line: line,
    annotation_level: 'notice',
    message: `Line ${line}`,
  });
  const output = { title: 'Lint', summary: 'Found' };
  const more = { start_column: 2, end_column: 4, title: 'Style', raw_details: 'a = b' };
  const first = [{ ...annotation(1), ...more }, ...Array.from({ length: 49 }, (_, at) => annotation(at + 2))];
  const { body } = await run({ name: 'lint', output: { ...output, annotations: first } });
  expect(body.output.annotations_count).toBe(50);
  const path = `${base}/check-runs/${body.id}`;
  const { body: after } = await app.client.patch(path, { output: { ...output, annotations: [annotation(51)] } });
  expect(after.output.annotations_count).toBe(51);
  const { body: page, headers } = await client.get(`${path}/annotations?per_page=2`);
  expect(page).toEqual([
    { ...first[0], blob_href: `${w.url}${base.slice('/repos'.length)}/blob/${commit}/src/main%20file.ts` },
    {
      ...annotation(2),
      start_column: null,
      end_column: null,
      title: null,
      raw_details: null,
      blob_href: expect.stringContaining(commit),
    },
  ]);
  expect(headers.link).toContain('page=26>; rel="last"');
  expect((await client.get(`${path}/annotations?per_page=2&page=26`)).body).toMatchObject([{ start_line: 51 }]);
  expect(await w.statements(ada, `${path}/annotations`)).toBe(2);
});

test('of runs with the same name, the newest is the latest; lists filter', async () => {
  const { ada, client, base, commit, app, run } = await setting(w);
  const other = await checker(w, ada);
  const old = (await run({ name: 'tests', conclusion: 'failure' })).body;
  const lint = (await run({ name: 'lint', status: 'in_progress' })).body;
  const tests = (await run({ name: 'tests', conclusion: 'success' })).body;
  const foreign = (await run({ name: 'tests' }, other.client)).body;
  expect(foreign.check_suite.id).not.toBe(tests.check_suite.id);
  const ids = async (path: string) => {
    const { status, body } = await client.get(path);
    expect(status).toBe(200);
    return { total: body.total_count, ids: body.check_runs.map(({ id }: { id: number }) => id) };
  };
  for (const ref of [commit, commit.slice(0, 10), 'main', 'heads%2Fmain'])
    expect(await ids(`${base}/commits/${ref}/check-runs`), ref).toEqual({ total: 3, ids: [foreign.id, tests.id, lint.id] });
  const listed = `${base}/commits/main/check-runs`;
  expect((await ids(`${listed}?filter=all`)).ids).toEqual([foreign.id, tests.id, lint.id, old.id]);
  expect((await ids(`${listed}?filter=all&check_name=tests&app_id=${app.app}`)).ids).toEqual([tests.id, old.id]);
  expect((await ids(`${listed}?status=completed`)).ids).toEqual([tests.id]);
  expect((await ids(`${listed}?app_id=${other.app}`)).ids).toEqual([foreign.id]);
  expect(await ids(`${listed}?per_page=1&page=2`)).toEqual({ total: 3, ids: [tests.id] });
  const suite = `${base}/check-suites/${tests.check_suite.id}/check-runs`;
  expect((await ids(suite)).ids).toEqual([tests.id, lint.id]);
  expect((await ids(`${suite}?filter=all&status=completed`)).ids).toEqual([tests.id, old.id]);
  expect((await ids(`${suite}?check_name=lint`)).ids).toEqual([lint.id]);
  expect((await client.get(`${base}/commits/none/check-runs`)).status).toBe(404);
  for (const bad of ['filter=some', 'status=done', 'app_id=x'])
    expect((await client.get(`${listed}?${bad}`)).status, bad).toBe(422);

  // A run that gets another name is the latest of that one, and no more of the other.
  await app.client.patch(`${base}/check-runs/${tests.id}`, { name: 'unit tests' });
  expect((await ids(suite)).ids).toEqual([tests.id, lint.id, old.id]);
  await app.client.patch(`${base}/check-runs/${old.id}`, { name: 'lint' });
  expect((await ids(suite)).ids).toEqual([tests.id, lint.id]);
});

test('a suite has at most 1,000 runs of a name; the oldest are removed', async () => {
  const { repo, client, base, run } = await setting(w);
  const { body: first } = await run({ name: 'tests' });
  const row = await w.db.selectFrom('check_runs').selectAll().where('id', '=', first.id).executeTakeFirstOrThrow();
  const { id: _, images: _images, actions: _actions, ...rest } = row;
  const old = Array.from({ length: 999 }, () => ({ ...rest, is_latest: false }));
  await w.db.insertInto('check_runs').values(old).execute();
  const { body: last } = await run({ name: 'tests' });
  const left = await w.db.selectFrom('check_runs').select('id').where('repository_id', '=', repo.id).orderBy('id').execute();
  expect(left).toHaveLength(1_000);
  expect(left.at(-1)?.id).toBe(last.id);
  expect((await client.get(`${base}/check-runs/${first.id}`)).status).toBe(404);
});

test('runs that are created at the same time leave one latest and one suite', async () => {
  const { client, base, run } = await setting(w);
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, at) => run({ name: 'tests', ...(at % 2 === 0 ? {} : { conclusion: 'success' }) })),
  );
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  const newest = Math.max(...made.map(({ body }) => body.id));
  const { body } = await client.get(`${base}/commits/main/check-runs`);
  expect(body).toMatchObject({ total_count: 1, check_runs: [{ id: newest }] });
  const { body: suites } = await client.get(`${base}/commits/main/check-suites`);
  expect(suites.total_count).toBe(1);
  const isDone = body.check_runs[0].status === 'completed';
  expect(suites.check_suites[0]).toMatchObject({
    status: isDone ? 'completed' : 'queued',
    latest_check_runs_count: 1,
  });
});

test('changes at the same time are all counted, whatever their order', async () => {
  const { client, base, app, run } = await setting(w);
  const runs = await Promise.all(Array.from({ length: 6 }, (_, at) => run({ name: `check ${at}` })));
  const changes = runs.flatMap(({ body }) => [
    app.client.patch(`${base}/check-runs/${body.id}`, { conclusion: 'success' }),
    run({ name: `again ${body.id}`, conclusion: 'skipped' }),
  ]);
  expect((await Promise.all(changes)).every(({ status }) => status < 300)).toBe(true);
  const suite = `${base}/check-suites/${runs[0]?.body.check_suite.id}`;
  expect((await client.get(suite)).body).toMatchObject({
    status: 'completed',
    conclusion: 'success',
    latest_check_runs_count: 12,
  });
});

test('runs that stay incomplete for more than 14 days become stale, and their app may change them still', async () => {
  const { ada, client, base, app, run } = await setting(w);
  const began = w.clock.now;
  try {
    const { body: open } = await run({ name: 'open', status: 'in_progress' });
    const { body: done } = await run({ name: 'done', conclusion: 'success' });
    const suite = async () => (await client.get(`${base}/check-suites/${open.check_suite.id}`)).body;
    w.clock.now = addDays(began, 14);
    await concludeStale();
    expect((await client.get(`${base}/check-runs/${open.id}`)).body.status).toBe('in_progress');
    w.clock.now = new Date(addDays(began, 14).getTime() + 1_000);
    await concludeStale();
    expect((await client.get(`${base}/check-runs/${open.id}`)).body).toMatchObject({
      status: 'completed',
      conclusion: 'stale',
      completed_at: '2026-01-15T00:00:01Z',
    });
    const { body: listed } = await client.get(`${base}/commits/main/check-runs`);
    expect(listed.check_runs.map(({ id, conclusion }: { id: number; conclusion: string }) => [id, conclusion])).toEqual([
      [done.id, 'success'],
      [open.id, 'stale'],
    ]);
    expect(await suite()).toMatchObject({ status: 'completed', conclusion: 'stale' });
    const kinds = await w.db
      .selectFrom('events')
      .select('kind')
      .where('owner_id', '=', ada.id)
      .orderBy('id', 'desc')
      .limit(2)
      .execute();
    expect(kinds.map(({ kind }) => kind)).toEqual(['check_suite.completed', 'check_run.completed']);
    // It counts from when it was opened again.
    await app.client.patch(`${base}/check-runs/${open.id}`, { status: 'in_progress' });
    await concludeStale();
    expect(await suite()).toMatchObject({ status: 'in_progress' });
  } finally {
    w.clock.now = began;
  }
});

test('apps alone write checks, with the permission; each its own', async () => {
  const { ada, base, app, run } = await setting(w);
  const { id, check_suite } = (await run({ name: 'tests', conclusion: 'success' })).body;
  const [reader, stranger, other] = [await checker(w, ada, { checks: 'read' }), await w.user(), await checker(w, ada)];
  const calls = (client: typeof app.client) => [
    () => run({ name: 'tests' }, client),
    () => client.patch(`${base}/check-runs/${id}`, { status: 'queued' }),
    () => client.post(`${base}/check-runs/${id}/rerequest`),
    () => client.post(`${base}/check-suites`, { head_sha: 'x' }),
    () => client.post(`${base}/check-suites/${check_suite.id}/rerequest`),
  ];
  const fineGrained = await w.fineGrained(ada, ada, { checks: 'write' });
  const people = [await w.as(ada), await w.as(fineGrained), await w.as(await app.userToken(ada))];
  await w.unchanged(['check_runs', 'check_suites', 'events'], async () => {
    for (const client of people)
      for (const call of calls(client))
        expect(await call()).toMatchObject({ status: 403, body: { message: 'You must authenticate via an app.' } });
    for (const call of calls(reader.client))
      expect(await call()).toMatchObject({ status: 403, body: { message: 'Resource not accessible by integration' } });
    for (const call of calls(await w.as(stranger))) expect((await call()).status).toBe(404);
    for (const call of [1, 2, 4].flatMap((at) => calls(other.client)[at] ?? [])) expect((await call()).status).toBe(403);
  });
});

test('who may read the repository reads its checks; a token needs the scope or the permission', async () => {
  const { ada, repo, base, run } = await setting(w);
  const { id, check_suite } = (await run({ name: 'tests' })).body;
  const colleague = await w.user();
  await w.collaborator(repo, colleague, 'read');
  const paths = [
    `${base}/check-runs/${id}`,
    `${base}/check-runs/${id}/annotations`,
    `${base}/check-suites/${check_suite.id}`,
    `${base}/check-suites/${check_suite.id}/check-runs`,
    `${base}/commits/main/check-runs`,
    `${base}/commits/main/check-suites`,
  ];
  const answers = async (who: Parameters<typeof w.as>[0]) => {
    const client = await w.as(who);
    return Promise.all(paths.map(async (path) => (await client.get(path)).status));
  };
  const all = (status: number) => paths.map(() => status);
  expect(await answers(colleague)).toEqual(all(200));
  expect(await answers((await checker(w, ada, { checks: 'read' })).token)).toEqual(all(200));
  expect(await answers(await w.fineGrained(ada, ada, { checks: 'read' }))).toEqual(all(200));
  expect(await answers((await checker(w, ada, { contents: 'read' })).token)).toEqual(all(403));
  expect(await answers(await w.token(ada, ['repo:status']))).toEqual(all(404));
  expect(await answers(await w.user())).toEqual(all(404));
  expect(await answers(undefined)).toEqual(all(404));
  const open = await setting(w, 'public');
  const { body } = await open.run({ name: 'tests' });
  expect((await (await w.as(undefined)).get(`${open.base}/check-runs/${body.id}`)).status).toBe(200);
});

test('checks say nothing of other repositories, and go with their own', async () => {
  const [one, other] = [await setting(w), await setting(w)];
  const { id, check_suite } = (await one.run({ name: 'tests' })).body;
  expect((await other.client.get(`${other.base}/check-runs/${id}`)).status).toBe(404);
  expect((await other.client.get(`${other.base}/check-suites/${check_suite.id}`)).status).toBe(404);
  expect((await one.client.delete(one.base)).status).toBe(204);
  expect(await w.db.selectFrom('check_runs').select('id').where('id', '=', id).execute()).toEqual([]);
});

test('lists send as many statements for one run as for thirty', async () => {
  const { ada, client, base, run } = await setting(w);
  await run({ name: 'one' });
  const { body: commit } = await client.get(`${base}/commits/main/check-suites`);
  const suite = `${base}/check-suites/${commit.check_suites[0].id}`;
  const paths = [`${base}/commits/main/check-runs`, `${suite}/check-runs`, suite, `${base}/commits/main/check-suites`];
  const counts = async () => {
    const found: number[] = [];
    for (const path of paths) found.push(await w.statements(ada, path));
    return found;
  };
  const few = await counts();
  for (let at = 0; at < 29; at++) await run({ name: `run ${at}` });
  for (let at = 0; at < 5; at++) await run({ name: 'tests' }, (await checker(w, ada)).client);
  expect(await counts()).toEqual(few);
  expect(few).toEqual([5, 5, 6, 7]);
});

test('an empty repository has no commits to tell of', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  for (const list of ['check-runs', 'check-suites'])
    expect((await client.get(`/repos/${ada.login}/${repo.name}/commits/main/${list}`)).status).toBe(409);
});

test('a run belongs to its commit, also where that is no branch any more', async () => {
  const { client, base, commit, run } = await setting(w);
  await addFile(client, base);
  const { body } = await run({ name: 'tests' });
  expect((await client.get(`${base}/check-suites/${body.check_suite.id}`)).body).toMatchObject({
    head_sha: commit,
    head_branch: null,
    before: null,
    after: commit,
  });
  expect((await client.get(`${base}/commits/main/check-runs`)).body).toEqual({ total_count: 0, check_runs: [] });
});

test('a run is written by as many statements, whatever it holds and whatever was there', async () => {
  const { base, commit, app, run } = await setting(w);
  const count = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const headers = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' };
    const request = { method, url: `/api/v3${path}`, headers, payload: JSON.stringify(body) };
    const { result, statements } = await countStatements(() => w.hearth.app.inject(request));
    expect(result.statusCode).toBeLessThan(300);
    return statements.length;
  };
  const annotation = { path: 'a.ts', start_line: 1, end_line: 1, annotation_level: 'notice', message: 'No' };
  const output = (size: number) => ({ title: 'T', summary: 'S', annotations: Array.from({ length: size }, () => annotation) });
  const wanted = (size: number) => ({ name: 'tests', head_sha: commit, output: output(size) });
  await run({ name: 'first' });
  const created = await count('POST', `${base}/check-runs`, wanted(1));
  for (let at = 0; at < 20; at++) await run({ name: `run ${at}`, output: output(5) });
  expect(await count('POST', `${base}/check-runs`, wanted(50))).toBe(created);
  const { id } = (await run({ name: 'tests' })).body;
  const changed = await count('PATCH', `${base}/check-runs/${id}`, { output: output(1) });
  expect(await count('PATCH', `${base}/check-runs/${id}`, { output: output(50) })).toBe(changed);
  expect([created, changed]).toEqual([14, 11]);
});
