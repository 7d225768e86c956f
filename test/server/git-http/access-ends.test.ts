// A transfer may take an hour. Access that ends meanwhile ends it, and so do rules that change.
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { gitLimits } from '#git/limits.ts';
import { findRef } from '#git/refs/refs.ts';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';
import { initialValues } from '#lib/limits.ts';
import { diskOf } from '#test/resources/code/pushes/support.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';
import { addressOf } from './support.ts';

const here = await world({ resourceLimits: { git: { ...initialValues(gitLimits), accessTime: 20 } } });
const owner = await here.user();
const asOwner = await here.as(owner);
const admin = await here.as(await here.user(fresh('admin'), { site_admin: true }));
const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');

/** A private repository of an organization with a commit, and somebody who may write to it. */
async function makeStage() {
  const org = await here.org(owner);
  const repo = { ...(await here.repo(org, { visibility: 'private', by: owner })), owner: org };
  const oid = await commitFiles(here, repo, { 'a.txt': 'one\n' });
  const writer = await here.user();
  await here.collaborator(repo, writer, 'write');
  return { repo, oid, writer, token: await here.token(writer), path: `/repos/${org.login}/${repo.name}` };
}
type Stage = Awaited<ReturnType<typeof makeStage>>;

/** Begins a request of Git. */
function begin({ repo, token }: Stage, service: string, bytes: Buffer) {
  const request = httpRequest(`${addressOf(here, repo)}/${service}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`x:${token}`)}`, 'content-type': `application/x-${service}-request` },
  });
  request.on('error', () => undefined); // the server ends it
  request.write(bytes);
  let text = '';
  request.on('response', (response) => {
    response.on('error', () => undefined);
    response.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
  });
  return { request, text: () => text, closed: once(request, 'close') };
}

/** Begins a push whose pack lacks its end, and waits until its commands were accepted. */
async function beginPush(stage: Stage, ref: string) {
  const line = `${'0'.repeat(40)} ${stage.oid} ${ref}\0report-status side-band-64k`;
  const push = begin(stage, 'git-receive-pack', Buffer.concat([packet(line), flushPacket, emptyPack.subarray(0, -1)]));
  await expect.poll(() => intentsOf(stage)).toBe(1);
  return push;
}

const intentsOf = async ({ repo }: Stage): Promise<number> =>
  (await here.db.selectFrom('ref_changes').select('id').where('repository_id', '=', repo.id).execute()).length;

const noNewBranch = {
  name: 'none',
  target: 'branch',
  enforcement: 'active',
  conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
  rules: [{ type: 'creation' }],
};

const changes: Record<string, (stage: Stage) => Promise<{ status: number }>> = {
  'the pusher is removed': ({ path, writer }) => asOwner.delete(`${path}/collaborators/${writer.login}`),
  'the pusher may only read': ({ path, writer }) => asOwner.put(`${path}/collaborators/${writer.login}`, { permission: 'pull' }),
  'the pusher is suspended': ({ writer }) => admin.put(`/users/${writer.login}/suspended`),
  'the repository is archived': ({ path }) => asOwner.patch(path, { archived: true }),
  'a ruleset forbids the branch': ({ path }) => asOwner.post(`${path}/rulesets`, noNewBranch),
};

test.each(Object.entries(changes))('a push comes to nothing if %s while it arrives', async (_, change) => {
  const stage = await makeStage();
  const push = await beginPush(stage, 'refs/heads/late');
  expect((await change(stage)).status).toBeLessThan(300);
  await push.closed;
  expect(await findRef(diskOf(here, stage.repo), 'refs/heads/late')).toBeUndefined();
  await expect.poll(() => intentsOf(stage)).toBe(0);
});

test('a push whose repository gets another name goes on', async () => {
  const stage = await makeStage();
  const push = await beginPush(stage, 'refs/heads/late');
  expect((await asOwner.patch(stage.path, { name: fresh('renamed') })).status).toBe(200);
  push.request.end(emptyPack.subarray(-1));
  await push.closed;
  expect(push.text()).toContain('ok refs/heads/late');
});

test('a fetch ends with the access', async () => {
  const stage = await makeStage();
  const fetching = begin(stage, 'git-upload-pack', packet(`want ${stage.oid} side-band-64k\n`));
  expect((await asOwner.delete(`${stage.path}/collaborators/${stage.writer.login}`)).status).toBe(204);
  await fetching.closed;
  expect(fetching.text()).not.toContain('PACK');
});
