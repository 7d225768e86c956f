// Websites that workflows bring, by the unmodified client of artifacts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DefaultArtifactClient } from '@actions/artifact';
import { sql } from 'kysely';
import { type Header, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { initialValues } from '#lib/limits.ts';
import { pagesLimits } from '#resources/actions/pages/limits.ts';
import { filesOfArtifact } from '#resources/actions/pages/unpack.ts';
import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { inJob } from '#test/support/in-job.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { longestTurn } from '#test/support/time.ts';
import { websites } from '#test/support/websites.ts';

const { here, get } = await websites({ resourceLimits: { pages: { files: 5, size: 3_000_000, file: 2_500_000 } } });
const artifacts = new DefaultArtifactClient();

const workflow = `name: Pages
on: push
permissions: {pages: write, id-token: write}
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: make
`;

type Entry = Pick<Header, 'name'> & Partial<Pick<Header, 'type' | 'linkname'>> & { content?: string };

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const { content = '', ...header } of entries) tar.entry(header, content);
  tar.finalize();
  return Buffer.concat((await Array.fromAsync(tar)) as Buffer[]); // a pack gives bytes
}

/** A property in a header, with its length before it. */
function propertyOf(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  const length = rest.length + String(rest.length).length;
  return `${rest.length + String(length).length}${rest}`;
}

/** A header of properties, of one file (`x`) or of all (`g`). */
function headerOf(type: 'g' | 'x', properties: string): Buffer {
  const block = Buffer.alloc(512);
  block.write('a');
  block.write(properties.length.toString(8).padStart(11, '0'), 124);
  block.write(type, 156);
  block.write('ustar\x0000', 257);
  block.fill(' ', 148, 156);
  block.write(
    block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0'),
    148,
  );
  return Buffer.concat([block, Buffer.from(properties), Buffer.alloc(-properties.length & 511)]);
}

/** A repository whose website workflows bring, and a job that runs in it. */
async function setting(file = workflow) {
  const ada = await here.user();
  const repo = await here.repo(ada);
  const owner = await here.as(ada);
  const at = `/repos/${ada.login}/${repo.name}`;
  await pushWorkflow(here, repo, { '.github/workflows/pages.yml': file });
  await owner.post(`${at}/pages`, { build_type: 'workflow' });
  const runner = await startRunner(here, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  const client = await here.as(String(task.context?.token));
  const web = `/${ada.login}/${repo.name}/`;
  /** Uploads a tar as the action for it does. */
  const upload = (name: string, content: Buffer, file = 'artifact.tar') =>
    inJob(here, task, async (folder) => {
      await writeFile(join(folder, file), content);
      const { id } = await artifacts.uploadArtifact(name, [join(folder, file)], folder);
      return id;
    });
  const deploy = async (artifact_id: number | undefined, more: object = {}) =>
    client.post(`${at}/pages/deployments`, {
      artifact_id,
      pages_build_version: `v${artifact_id}`,
      oidc_token: await identityOf(task),
      ...more,
    });
  return { ada, repo, owner, at, web, task, client, upload, deploy };
}

/** As the toolkit's `getIDToken` asks. */
async function identityOf({ context }: Task): Promise<string> {
  const headers = { authorization: `Bearer ${context?.actions_id_token_request_token}` };
  const reply = await fetch(String(context?.actions_id_token_request_url), { headers });
  return ((await reply.json()) as { value: string }).value;
}

test('an artifact whose headers are long is refused, and holds nobody up', async () => {
  const { at, client, upload, deploy } = await setting();
  const shared = Array.from({ length: 90_000 }, (_, number) => propertyOf(`k${number.toString(36)}`, '1')).join('');
  const further = Array.from({ length: 40 }, () => headerOf('x', propertyOf('a', '1')));
  const site = await tarOf([{ name: 'index.html', content: 'x' }]);
  const id = await upload('long', Buffer.concat([headerOf('g', shared), ...further, site]));
  const made = await deploy(id);
  const { longest } = await longestTurn(() => here.settle());
  expect((await client.get(`${at}/pages/deployments/${made.body.id}`)).body.status).toBe('deployment_content_failed');
  expect(longest, 'milliseconds of the longest turn').toBeLessThan(300);
});

/** A zip archive of many empty files. */
function zipOf(count: number): Buffer {
  const local = Buffer.alloc(31, 'a');
  local.write('PK\x03\x04');
  local.fill(0, 4, 26).writeUInt32LE(1, 26);
  const entry = Buffer.alloc(47, 'a');
  entry.write('PK\x01\x02');
  entry.fill(0, 4, 46).writeUInt16LE(1, 28);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  for (const at of [8, 10]) end.writeUInt16LE(count, at);
  end.writeUInt32LE(entry.length * count, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, ...Array.from({ length: count }, () => entry), end]);
}

test('an artifact of many files, none of which is a website, is not looked through', async () => {
  let opened = 0;
  const bytes = zipOf(20_000);
  const open = async ({ start = 0, end = bytes.length - 1 } = {}) => {
    opened++;
    return Readable.from([bytes.subarray(start, end + 1)]);
  };
  const file = { size: bytes.length, etag: '', modified: new Date(0), open };
  const reading = Array.fromAsync(filesOfArtifact(file, initialValues(pagesLimits)));
  await expect(reading).rejects.toThrow('no artifact.tar among its first 100 files');
  expect(opened).toBeLessThan(500);
});

test('a workflow brings a website, all of it at once, and a bad one changes nothing', async () => {
  const { at, web, owner, client, upload, deploy } = await setting();
  const large = 'x'.repeat(2_000_000);
  const id = await upload(
    'site',
    await tarOf([
      { name: './', type: 'directory' },
      { name: './index.html', content: 'by a workflow' },
      { name: './404.html', content: 'missing' },
      { name: './CNAME', content: 'ignored.example' },
      { name: './assets/large.txt', content: large },
    ]),
  );
  const made = await deploy(id);
  expect(made).toMatchObject({ status: 200, body: { page_url: expect.stringContaining(web) } });
  const status = async (name: string | number) => (await client.get(`${at}/pages/deployments/${name}`)).body.status;
  expect(await status(made.body.id)).toBe('deployment_in_progress');
  expect((await get(web)).status).toBe(404);
  await here.settle();
  expect(await status(made.body.id)).toBe('succeed');
  expect(await status(`v${id}`)).toBe('succeed');
  expect(await get(web)).toMatchObject({ status: 200, body: 'by a workflow' });
  expect(await get(`${web}assets/large.txt`)).toMatchObject({ status: 200, body: large });
  expect(await get(`${web}nothing`)).toMatchObject({ status: 404, body: 'missing' });
  expect((await owner.get(`${at}/pages`)).body).toMatchObject({ status: 'built', cname: null, custom_404: true });
  expect((await owner.get(`${at}/pages/builds`)).body).toEqual([]);

  const file = { name: 'index.html', content: 'bad' };
  const bad = {
    link: await tarOf([file, { name: 'link', type: 'symlink', linkname: '/etc/passwd' }]),
    climbing: await tarOf([file, { name: '../index.html', content: 'x' }]),
    absolute: await tarOf([file, { name: '/index.html', content: 'x' }]),
    git: await tarOf([file, { name: '.git/config', content: 'x' }]),
    twice: await tarOf([file, file]),
    both: await tarOf([file, { name: 'index.html/a', content: 'x' }]),
    many: await tarOf(Array.from({ length: 6 }, (_, at) => ({ name: String(at), content: 'x' }))),
    big: await tarOf([{ name: 'a', content: 'x'.repeat(2_500_001) }]),
    cut: (await tarOf([file, { name: 'b', content: large }])).subarray(0, 4_000),
    none: Buffer.from('not a tar'.repeat(200)),
  };
  for (const [name, content] of Object.entries(bad)) {
    const { body } = await deploy(await upload(name, content));
    await here.settle();
    expect(await status(body.id), name).toBe('deployment_content_failed');
  }
  const { body } = await deploy(await upload('other', bad.link, 'other.tar'));
  await here.settle();
  expect(await status(body.id)).toBe('deployment_content_failed');
  expect(await get(web)).toMatchObject({ status: 200, body: 'by a workflow' });
});

test('other jobs come before builds', async () => {
  const { upload, deploy } = await setting();
  const id = await upload('site', await tarOf([{ name: 'index.html', content: 'x' }]));
  await here.settle();
  expect((await deploy(id)).status).toBe(200);
  const { rows } = await sql<{ priority: number }>`select priority from jobs.jobs where task_identifier = 'pages.build'`.execute(
    here.db,
  );
  expect(rows).toEqual([{ priority: 5 }]);
  await here.settle();
});

test('a deployment that is cancelled before its end changes nothing', async () => {
  const { at, web, client, upload, deploy } = await setting();
  const { body } = await deploy(await upload('site', await tarOf([{ name: 'index.html', content: 'x' }])));
  expect((await client.post(`${at}/pages/deployments/${body.id}/cancel`)).status).toBe(204);
  await here.settle();
  expect((await get(web)).status).toBe(404);
  expect((await client.get(`${at}/pages/deployments/${body.id}`)).body.status).toBe('deployment_cancelled');
  expect((await client.post(`${at}/pages/deployments/${body.id}/cancel`)).status).toBe(422);
});

test('a job deploys artifacts of its own run alone, and proves which that is', async () => {
  const { at, owner, client, upload, deploy, task } = await setting();
  const other = await setting();
  const [own, foreign] = [await upload('site', await tarOf([])), await other.upload('site', await tarOf([]))];
  const wanted = { artifact_id: own, pages_build_version: 'v' };
  const tokens = ['wrong', 'e30.e30.e30', await identityOf(other.task)];
  await here.unchanged(['pages_builds'], async () => {
    for (const oidc_token of tokens)
      expect((await client.post(`${at}/pages/deployments`, { ...wanted, oidc_token })).status).toBe(400);
    expect((await deploy(foreign)).status).toBe(404);
    expect((await deploy(999_999)).status).toBe(404);
    for (const [more, field] of [
      [{}, 'artifact_id'],
      [{ artifact_url: 'https://elsewhere.example/artifact.zip' }, 'artifact_url'],
      [{ artifact_url: `${here.url}/api/v3${other.at}/actions/artifacts/${foreign}` }, 'artifact_url'],
    ] as const)
      expect(await deploy(undefined, more), field).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    const late = await identityOf(task);
    here.clock.now = new Date(here.clock.now.getTime() + 10 * 60_000);
    expect((await client.post(`${at}/pages/deployments`, { ...wanted, oidc_token: late })).status).toBe(400);
  });
  const url = `${here.url}/api/v3${at}/actions/artifacts/${own}/zip`;
  expect((await deploy(undefined, { artifact_url: url })).status).toBe(200);
  await owner.put(`${at}/pages`, { build_type: 'legacy', source: { branch: 'main', path: '/' } });
  expect((await deploy(own)).status).toBe(422);
  await owner.delete(`${at}/pages`);
  expect((await deploy(own)).status).toBe(404);
});

test('a job in an environment deploys into that one alone', async () => {
  const { upload, deploy } = await setting(workflow.replace('    steps:', '    environment: site\n    steps:'));
  const id = await upload('site', await tarOf([{ name: 'index.html', content: 'x' }]));
  const refused = { status: 422, body: { errors: [{ field: 'environment' }] } };
  expect(await deploy(id, { environment: 'other' })).toMatchObject(refused);
  expect((await deploy(id, { environment: 'site' })).status).toBe(200);
});

test('where the repository has an environment for websites, a job outside of it deploys none, whatever it names', async () => {
  for (const place of ['', '    environment: other\n']) {
    const { at, owner, upload, deploy } = await setting(workflow.replace('    steps:', `${place}    steps:`));
    const id = await upload('site', await tarOf([{ name: 'index.html', content: 'x' }]));
    expect((await owner.put(`${at}/environments/github-pages`, {})).status).toBe(200);
    const refused = { status: 422, body: { errors: [{ field: 'environment' }] } };
    await here.unchanged(['pages_builds'], async () => {
      expect(await deploy(id)).toMatchObject(refused);
      for (const environment of ['github-pages', 'other']) expect(await deploy(id, { environment })).toMatchObject(refused);
    });
    expect((await owner.delete(`${at}/environments/github-pages`)).status).toBe(204);
    expect((await deploy(id)).status).toBe(200);
  }
});

test('a job in the environment for websites deploys', async () => {
  const { upload, deploy } = await setting(workflow.replace('    steps:', '    environment: github-pages\n    steps:'));
  const id = await upload('site', await tarOf([{ name: 'index.html', content: 'x' }]));
  expect((await deploy(id, { environment: 'github-pages' })).status).toBe(200);
});
