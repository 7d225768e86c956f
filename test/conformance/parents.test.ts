import { expect, test } from 'vitest';
import { wordsOf } from '#endpoint/path-words.ts';
import { allEndpoints } from '#resources/all.ts';
import { groupOf, publish } from '#test/resources/hosted-runners/setting.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';
import { makeStage, samplePath } from './callers.ts';
import { everyRow } from './rows.ts';

const opened = await world();
const { as, user, org: makeOrg, repo: makeRepo, db } = opened;
const { owner, org, repo } = await makeStage(opened);
const client = await as(owner);

// The same names under another owner, of the same person, with a history but none of the children.
const elsewhere = await makeOrg(owner, 'umbrella');
await commitFiles(opened, await makeRepo(elsewhere, { name: 'secret', visibility: 'private', by: owner }), {
  'other.txt': 'other',
});
const other = { org: 'umbrella', owner: 'umbrella', repo: 'secret' };

const here = '/repos/acme/secret';
const made = async (path: string, body: object): Promise<{ id: number; number: number; sha: string }> => {
  const reply = await client.post(path, body);
  expect([path, reply.status]).toEqual([path, 201]);
  return reply.body;
};

/** A hook, and the delivery of its ping. */
async function makeHook(parent: string): Promise<Record<string, string>> {
  const { id } = await made(`${parent}/hooks`, { name: 'web', config: { url: 'https://receiver.example/hook' } });
  await opened.settle();
  const { body } = await client.get(`${parent}/hooks/${id}/deliveries`);
  return { hook_id: String(id), ...(body.length > 0 ? { delivery_id: String(body[0].id) } : {}) };
}

/** A hosted runner, and an image that it made. */
async function makeRunner(parent: string): Promise<Record<string, string>> {
  const runner = await made(`${parent}/actions/hosted-runners`, {
    name: 'maker',
    image_gen: true,
    image: { id: 'ubuntu-24.04', source: 'service' },
    size: '4-core',
    runner_group_id: await groupOf(opened, org),
  });
  await opened.settle();
  const { image, version } = await publish({ here: opened, org });
  return { hosted_runner_id: String(runner.id), image_definition_id: String(image), version };
}

/** What exists below the stage's repository and organization, by the words that name it. */
async function makeChildren(): Promise<{ inRepo: Record<string, string>; inOrg: Record<string, string> }> {
  const commit = await commitFiles(opened, repo, { 'here.txt': 'here' });
  const tree = await client.get(`${here}/git/trees/${commit}`);
  const tag = await made(`${here}/git/tags`, { tag: 'v1', message: 'one', object: commit, type: 'commit' });
  await made(`${here}/labels`, { name: 'found', color: 'ff0000' });
  const milestone = await made(`${here}/milestones`, { title: 'first' });
  const issue = await made(`${here}/issues`, { title: 'first' });
  const comment = await made(`${here}/issues/${issue.number}/comments`, { body: 'first' });
  const field = await client.post('/orgs/acme/issue-fields', { name: 'Note', data_type: 'text' });
  const invitation = await client.put(`${here}/collaborators/${(await user()).login}`, {});
  return {
    inRepo: {
      commit_sha: commit,
      tree_sha: tree.body.sha,
      file_sha: tree.body.tree[0].sha,
      tag_sha: tag.sha,
      name: 'found',
      milestone_number: String(milestone.number),
      issue_number: String(issue.number),
      comment_id: String(comment.id),
      issue_field_id: String(field.body.id),
      invitation_id: String(invitation.body.id),
      ...(await makeHook(here)),
    },
    inOrg: {
      issue_field_id: String(field.body.id),
      ...(await makeHook('/orgs/acme')),
      ...(await makeRunner('/orgs/acme')),
    },
  };
}

const children = await makeChildren();

const below = allEndpoints.flatMap((endpoint) => {
  const known = endpoint.path.startsWith('/repos/{owner}/{repo}/')
    ? children.inRepo
    : endpoint.path.startsWith('/orgs/{org}/')
      ? children.inOrg
      : {};
  const isBelow = wordsOf(endpoint.path).some((word) => word in known);
  return isBelow ? [{ ...endpoint, known, route: `${endpoint.method} ${endpoint.path}` }] : [];
});

/** Asked under its own parent, each thing is found: so the next test asks for things that exist. */
test.each(below.filter(({ method }) => method === 'GET'))('$route finds its own', async ({ path, known }) => {
  const { status } = await client.get(samplePath(path, known));
  expect(status).toBeLessThan(400);
});

test('nothing is found, or changed, under a parent that it does not belong to', async () => {
  const before = await everyRow(db);
  const wrong: string[] = [];
  for (const { method, path, route, known, body } of below) {
    const asked = samplePath(path, { ...known, ...other });
    const call = { GET: client.get, POST: client.post, PUT: client.put, PATCH: client.patch, DELETE: client.delete }[method];
    const { status } = await (method === 'GET' ? client.get(asked) : call(asked, body ? {} : undefined));
    // 422: the body was looked at first, or the commit is a value that isn't valid here.
    if (![404, 422].includes(status)) wrong.push(`${route}: ${status}`);
  }
  expect(wrong).toEqual([]);
  expect(await everyRow(db)).toBe(before);
});
