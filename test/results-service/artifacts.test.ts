// Artifacts by the client that actions use, unmodified, and by requests that it doesn't send.
import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultArtifactClient } from '@actions/artifact';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { removeExpired } from '#resources/actions/artifacts/jobs.ts';
import { dropAbandoned } from '#resources/actions/job-uploads/jobs.ts';
import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { jobSetting, nextTask } from '#test/resources/actions/artifacts/setting.ts';
import { ciPath } from '#test/resources/actions/workflow-runs/setting.ts';
import { inJob, runtimeToken } from '#test/support/in-job.ts';
import { tidyStore } from '#test/support/tidy-store.ts';
import { longestTurn } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github', resourceLimits: { results: { artifactSize: 40_000_000 } } });
const client = new DefaultArtifactClient();

/** Leaves a file behind as an artifact. */
const upload = (task: Task, name: string, content: Buffer | string, options: object = {}) =>
  inJob(w, task, async (folder) => {
    const file = join(folder, 'a.bin');
    await writeFile(file, content);
    return client.uploadArtifact(name, [file], folder, options);
  });

const list = (task: Task) => inJob(w, task, () => client.listArtifacts());

/** Calls a method as a program would that isn't the client. */
async function call(method: string, message: object, token: string) {
  const response = await fetch(`${w.url}/twirp/github.actions.results.api.v1.ArtifactService/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const ids = (task: Task) => ({
  workflow_run_backend_id: String(task.context?.run_id),
  workflow_job_run_backend_id: String(task.id),
});

const counted = async () => (await w.db.selectFrom('job_uploads').select('id').execute()).length;

async function objectKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of w.hearth.services.objects.list()) keys.push(...batch.map(({ group, name }) => `${group}/${name}`));
  return keys.filter((key) => key.startsWith('artifacts-'));
}

test('what a job uploads, the next one lists and downloads, and people do', async () => {
  const { runner, task, client: rest, base, url, run } = await jobSetting(w);
  expect(runtimeToken(task).split('.')).toHaveLength(3);
  const bytes = randomBytes(9_000_000); // two blocks of the client
  const made = await upload(task, 'build', bytes, { compressionLevel: 0 });
  expect(made).toEqual({ id: expect.any(Number), size: expect.any(Number), digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await upload(task, 'notes ä', 'short');
  expect(await counted()).toBe(0);
  await runner.end(task, 'success', { outputs: { made: 'it' } });
  const next = await nextTask(runner);
  expect((await list(next)).artifacts.map(({ name }) => name)).toEqual(['notes ä', 'build']);
  await inJob(w, next, async (folder) => {
    const { artifact } = await client.getArtifact('build');
    expect(artifact).toMatchObject({ id: made.id, size: made.size, digest: `sha256:${made.digest}` });
    const got = await client.downloadArtifact(artifact.id, { expectedHash: `sha256:${made.digest}` });
    expect(got.digestMismatch).toBe(false);
    expect((await readFile(join(folder, 'a.bin'))).equals(bytes)).toBe(true);
    await client.downloadArtifact((await client.getArtifact('notes ä')).artifact.id, { path: join(folder, 'notes') });
    expect(await readFile(join(folder, 'notes', 'a.bin'), 'utf8')).toBe('short');
  });

  const { body } = await rest.get(`${base}/actions/artifacts?name=build`);
  expect(body).toMatchObject({
    total_count: 1,
    artifacts: [
      {
        id: made.id,
        name: 'build',
        size_in_bytes: made.size,
        digest: `sha256:${made.digest}`,
        expired: false,
        expires_at: '2026-04-01T00:00:00Z',
        workflow_run: { id: run, head_branch: 'main' },
      },
    ],
  });
  const names = async (query: string) =>
    (await rest.get(`${url}/artifacts${query}`)).body.artifacts.map(({ name }: { name: string }) => name);
  expect(await names('')).toEqual(['notes ä', 'build']);
  expect(await names('?direction=asc')).toEqual(['build', 'notes ä']);
  expect(await names('?name=nothing')).toEqual([]);
  const one = `${base}/actions/artifacts/${made.id}`;
  expect((await rest.get(one)).body).toEqual(body.artifacts[0]);
  const { status, headers } = await rest.get(`${one}/zip`);
  expect(status).toBe(302);
  const archive = await fetch(headers.location ?? '');
  expect([archive.status, archive.headers.get('content-type'), archive.headers.get('content-disposition')]).toEqual([
    200,
    'application/zip',
    `attachment; filename="build.zip"; filename*=UTF-8''build.zip`,
  ]);
  const whole = Buffer.from(await archive.arrayBuffer());
  expect(createHash('sha256').update(whole).digest('hex')).toBe(made.digest);
  const part = await fetch(headers.location ?? '', { headers: { 'x-ms-range': 'bytes=10-19' } });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(10, 20))).toBe(true);
  expect((await rest.get(`${one}/tar`)).status).toBe(404);
  expect((await (await w.as(undefined)).get(`${one}/zip`)).status).toBe(401);

  expect((await rest.delete(one)).status).toBe(204);
  expect((await rest.get(one)).status).toBe(404);
  expect((await fetch(headers.location ?? '')).status).toBe(404);
  await w.settle();
  expect(await objectKeys()).toHaveLength(1);
  expect((await list(next)).artifacts.map(({ name }) => name)).toEqual(['notes ä']);
  await runner.end(next, 'success');
  expect((await rest.delete(url)).status).toBe(204);
  await w.settle();
  expect(await objectKeys()).toEqual([]);
});

test('a name is taken once in an attempt, until its artifact is deleted', async () => {
  const { runner, task, client: rest, url } = await jobSetting(w);
  await upload(task, 'one', 'a');
  await expect(upload(task, 'one', 'b')).rejects.toThrow(/409.*already exists/);
  await inJob(w, task, () => client.deleteArtifact('one'));
  const { id } = await upload(task, 'one', 'c');
  await runner.end(task, 'success', { outputs: { made: 'it' } });
  await runner.end(await nextTask(runner), 'success');
  await rest.post(`${url}/rerun`);
  const again = await nextTask(runner);
  await upload(again, 'one', 'd');
  expect((await list(again)).artifacts).toHaveLength(2);
  const { artifacts } = await inJob(w, again, () => client.listArtifacts({ latest: true }));
  expect(artifacts).toHaveLength(1);
  expect(artifacts[0]?.id).not.toBe(id);
});

/** Begins an artifact, and gives the address for its bytes. */
const begin = async (task: Task, name: string, more: object = {}): Promise<string> =>
  (await call('CreateArtifact', { ...ids(task), name, version: 4, ...more }, runtimeToken(task))).body.signed_upload_url ?? '';

const finish = (task: Task, name: string, more: object = {}) =>
  call('FinalizeArtifact', { ...ids(task), name, ...more }, runtimeToken(task));

const put = async (address: string, body: string | Buffer<ArrayBuffer>): Promise<number> =>
  (await fetch(address, { method: 'PUT', body })).status;

const listOf = (...names: string[]): string =>
  `<?xml version="1.0"?><BlockList>${names.map((name) => `<Latest>${name}</Latest>`).join('')}</BlockList>`;

test('an artifact is kept as long as it says, and the settings at most; then its bytes go', async () => {
  const { runner, task, client: rest, base } = await jobSetting(w);
  await rest.put(`${base}/actions/permissions/artifact-and-log-retention`, { days: 10 });
  const made = async (name: string, expires_at: string) => {
    await put(await begin(task, name, { expires_at }), 'x');
    return `${base}/actions/artifacts/${(await finish(task, name)).body.artifact_id}`;
  };
  const short = await made('short', '2026-01-04T00:00:00Z');
  const long = await made('long', '2027-01-01T00:00:00Z');
  expect((await rest.get(short)).body).toMatchObject({ expires_at: '2026-01-04T00:00:00Z', expired: false });
  expect((await rest.get(long)).body.expires_at).toBe('2026-01-11T00:00:00Z');
  const past = await call(
    'CreateArtifact',
    { ...ids(task), name: 'past', expires_at: '2025-12-31T00:00:00Z' },
    runtimeToken(task),
  );
  expect(past).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  const { headers } = await rest.get(`${short}/zip`);
  const before = await objectKeys();
  const { now } = w.clock;
  w.clock.now = new Date('2026-01-04T00:00:00Z');
  expect((await rest.get(short)).body.expired).toBe(true);
  expect((await rest.get(`${short}/zip`)).status).toBe(410);
  expect((await fetch(headers.location ?? '')).status).toBe(404);
  await removeExpired.run({}, w.jobContext());
  w.clock.now = now;
  expect(await objectKeys()).toHaveLength(before.length - 1);
  expect((await rest.get(short)).body).toMatchObject({ expired: true, size_in_bytes: 1 });
  expect((await rest.get(long)).body.expired).toBe(false);
  await runner.end(task, 'success');
});

test('what is half there is never served, and goes with its job', async () => {
  const { runner, task, client: rest, base } = await jobSetting(w);
  const address = await begin(task, 'half');
  const before = (await objectKeys()).length;
  expect(await put(`${address}&comp=block&blockid=QQ==`, 'first ')).toBe(201);
  expect(await put(`${address}&comp=block&blockid=Qg==`, 'secnod')).toBe(201);
  expect(await put(`${address}&comp=block&blockid=Qg==`, 'second')).toBe(201);
  expect(await objectKeys()).toHaveLength(before + 2);
  expect(await finish(task, 'half')).toMatchObject({ status: 400, body: { msg: 'The upload is not complete' } });
  expect(await put(`${address}&comp=blocklist`, listOf('QQ==', 'Qw=='))).toBe(400);
  expect(await put(`${address}&comp=blocklist`, 'QQ==')).toBe(400);
  expect(await put(`${address}&comp=block&blockid=%00`, 'x')).toBe(400);
  const { result, longest } = await longestTurn(() => put(`${address}&comp=blocklist`, '<BlockList>'.repeat(300_000)));
  expect(result).toBe(400);
  expect(longest, 'milliseconds of the longest turn').toBeLessThan(500);
  expect(await put(`${address}&comp=blocklist`, listOf('QQ==', 'Qg=='))).toBe(201);
  expect(await put(`${address}&comp=blocklist`, listOf('QQ==', 'Qg=='))).toBe(201);
  expect(await put(`${address}&comp=block&blockid=QQ==`, 'other')).toBe(409);
  expect((await rest.get(`${base}/actions/artifacts`)).body.artifacts).toEqual([]);
  expect((await list(task)).artifacts).toEqual([]);
  const digest = createHash('sha256').update('first second').digest('hex');
  expect((await finish(task, 'half', { size: '11' })).status).toBe(400);
  expect((await finish(task, 'half', { hash: `sha256:${'0'.repeat(64)}` })).status).toBe(400);
  const told = { size: '12', hash: `sha256:${digest}` };
  const { status, body } = await finish(task, 'half', told);
  expect([status, await finish(task, 'half', told)]).toEqual([200, { status, body }]);
  expect(await put(`${address}&comp=block&blockid=QQ==`, 'late')).toBe(404);
  const { headers } = await rest.get(`${base}/actions/artifacts/${body.artifact_id}/zip`);
  expect(await (await fetch(headers.location ?? '')).text()).toBe('first second');
  await w.settle();
  expect(await objectKeys()).toHaveLength(before + 1);

  const left = await begin(task, 'left');
  await put(`${left}&comp=block&blockid=QQ==`, 'first');
  await tidyStore(w);
  expect(await objectKeys()).toHaveLength(before + 2);
  await runner.end(task, 'success');
  expect(await put(`${left}&comp=block&blockid=QQ==`, 'late')).toBe(404);
  await dropAbandoned.run({}, w.jobContext());
  await w.settle();
  expect(await objectKeys()).toHaveLength(before + 1);
});

test('more bytes than allowed are refused, and leave nothing', async () => {
  const { runner, task } = await jobSetting(w);
  const before = await objectKeys();
  const address = await begin(task, 'large');
  const megabytes = (count: number) => Buffer.alloc(count * 1_000_000);
  expect(await put(address, megabytes(41))).toBe(413);
  expect(await put(`${address}&comp=block&blockid=QQ==`, megabytes(30))).toBe(201);
  const both = await Promise.all(['Qg==', 'Qw=='].map((name) => put(`${address}&comp=block&blockid=${name}`, megabytes(8))));
  expect(both.toSorted()).toEqual([201, 413]);
  await expect.poll(async () => (await objectKeys()).length).toBe(before.length + 2);
  await runner.end(task, 'success');
});

test('a token is for its own job, and only while that runs', async () => {
  const { runner, task } = await jobSetting(w);
  const { task: other } = await jobSetting(w);
  const token = runtimeToken(task);
  const statusOf = async (method: string, message: object, by = token) => (await call(method, message, by)).status;
  const made = { ...ids(task), name: 'a', version: 4 };
  await put(await begin(other, 'theirs'), 'x');
  await finish(other, 'theirs');
  expect(await statusOf('CreateArtifact', made)).toBe(200);
  expect(await statusOf('CreateArtifact', { ...made, ...ids(other) })).toBe(403);
  expect(await statusOf('CreateArtifact', { ...made, workflow_job_run_backend_id: String(other.id) })).toBe(403);
  expect(await statusOf('ListArtifacts', ids(other))).toBe(403);
  expect(await statusOf('GetSignedArtifactURL', { ...ids(other), name: 'theirs' })).toBe(403);
  const mixed = { ...ids(task), workflow_job_run_backend_id: String(other.id), name: 'theirs' };
  expect(await statusOf('GetSignedArtifactURL', mixed)).toBe(404);
  expect(await statusOf('DeleteArtifact', mixed)).toBe(404);
  expect(await statusOf('Nothing', made)).toBe(404);
  expect(await statusOf('constructor', made)).toBe(404);
  for (const name of ['', 'a/b', 'a"b', 'a\nb', 'a\0', 'x'.repeat(256)])
    expect(await statusOf('CreateArtifact', { ...made, name })).toBe(400);
  expect(await statusOf('CreateArtifact', { ...made, name: 7 })).toBe(400);
  const address = await begin(task, 'b');
  const sealed = new URL(address).searchParams.get('sig') ?? '';
  expect(await put(address.replace(sealed, `${sealed.slice(0, -2)}AA`), 'x')).toBe(404);
  expect(await put(address.replace(/uploads\/\d+/, 'uploads/1'), 'x')).toBe(404);
  expect((await fetch(address.replace('uploads', 'artifacts'))).status).toBe(404);
  expect(await put(`${address}&comp=page`, 'x')).toBe(400);

  const scp = `Actions.Results:${task.context?.run_id}:${task.id}`;
  const forged = (key: Buffer) =>
    new SignJWT({ scp }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(new Date('2026-01-02T00:00:00Z')).sign(key);
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
  for (const by of [await forged(Buffer.alloc(32, 7)), unsigned, `${token}x`, await w.token(await w.user()), '', 'x'])
    expect(await statusOf('ListArtifacts', ids(task), by)).toBe(401);
  const { now } = w.clock;
  w.clock.now = new Date('2026-01-02T00:00:00Z');
  expect(await statusOf('ListArtifacts', ids(task))).toBe(401);
  w.clock.now = now;
  // The job is taken again.
  const job = w.db.updateTable('workflow_jobs').where('id', '=', asId<'workflow_jobs'>(Number(other.id)));
  await job.set({ token_id: null }).execute();
  expect(await statusOf('ListArtifacts', ids(other), runtimeToken(other))).toBe(401);
  await runner.end(task, 'success');
  expect(await statusOf('ListArtifacts', ids(task))).toBe(401);
  expect(await put(address, 'x')).toBe(404);
});

test('lists cost the same for one artifact and for many', async () => {
  const { task, ada, base, url } = await jobSetting(w);
  const costs = async () => [await w.statements(ada, `${base}/actions/artifacts`), await w.statements(ada, `${url}/artifacts`)];
  const make = async (name: string) => {
    await put(await begin(task, name), name);
    await finish(task, name);
  };
  await make('1');
  const first = await costs();
  await Promise.all(['2', '3', '4'].map(make));
  expect(await costs()).toEqual(first);
  expect(first).toEqual([3, 3]);
  await sql`
    insert into artifacts (repository_id, run_id, attempt, job_id, name, content_type, size, digest, expires_at, created_at,
      updated_at)
    select repository_id, run_id, attempt, job_id, name || n, content_type, size, digest, expires_at, created_at, updated_at
    from artifacts, generate_series(1, 496) n where job_id = ${Number(task.id)} and name = '1'`.execute(w.db);
  const { body } = await call('CreateArtifact', { ...ids(task), name: 'more' }, runtimeToken(task));
  expect(body.msg).toBe('A job can have at most 500 artifacts (results.artifacts)');
});

test('of two jobs of a run that make an artifact of the same name, the second to finish is refused', async () => {
  const step = '{runs-on: ubuntu-latest, steps: [{run: make}]}';
  const { runner, task } = await jobSetting(w, { [ciPath]: `on: push\njobs: {a: ${step}, b: ${step}}` });
  const other = await nextTask(runner);
  for (const each of [task, other]) await put(await begin(each, 'same'), String(each.id));
  const first = await finish(other, 'same');
  expect(first.status).toBe(200);
  await w.unchanged(['artifacts', 'job_uploads'], async () =>
    expect(await finish(task, 'same')).toMatchObject({
      status: 409,
      body: { msg: 'an artifact with this name already exists on the workflow run' },
    }),
  );
  expect(await finish(other, 'same')).toEqual(first);
  for (const each of [task, other]) await runner.end(each, 'success');
});

test('blocks have a name, are counted, and are not more than allowed when they are joined', async () => {
  const { runner, task } = await jobSetting(w);
  const address = await begin(task, 'blocks');
  const id = asId<'job_uploads'>(Number(/uploads\/(\d+)/.exec(address)?.[1]));
  const block = (name: string) => `${address}&comp=block&blockid=${name}`;
  const before = (await objectKeys()).length;
  for (const name of ['', 'x'.repeat(257)]) expect(await put(block(name), 'x')).toBe(400);
  expect(await put(`${address}&comp=block`, 'x')).toBe(400);
  expect(await objectKeys()).toHaveLength(before);
  for (const name of ['QQ==', 'Qg==']) expect(await put(block(name), '123456')).toBe(201);
  const many = sql`insert into job_upload_blocks (upload_id, name, object_key, size, digest)
    select upload_id, n, 'nothing', 0, digest from job_upload_blocks, generate_series(1, 9998) n
    where upload_id = ${id} and name = 'QQ=='`;
  await many.execute(w.db);
  await w.unchanged(['job_upload_blocks'], async () => expect(await put(block('Qw=='), 'x')).toBe(400));
  expect(await put(block('Qg=='), '1234567')).toBe(201);
  expect(await objectKeys()).toHaveLength(before + 2);
  await w.db.deleteFrom('job_upload_blocks').where('object_key', '=', 'nothing').execute();
  await w.db.updateTable('job_uploads').set({ most_bytes: 18 }).where('id', '=', id).execute();
  expect(await put(`${address}&comp=blocklist`, listOf('QQ==', 'Qg==', 'QQ=='))).toBe(413);
  expect(await put(`${address}&comp=blocklist`, listOf('QQ==', 'QQ=='))).toBe(201);
  const kept = await w.db.selectFrom('job_upload_blocks').select('object_key').where('upload_id', '=', id).execute();
  for (const { object_key } of kept) await w.hearth.services.objects.remove(object_key);
  expect(await put(`${address}&comp=blocklist`, listOf('QQ==', 'Qg=='))).toBe(409);
  await runner.end(task, 'success');
});
