// The last push of a pull request by the token of a job: whoever is behind the job doesn't approve it alone.
import { expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const workflow = `on: push
permissions: {contents: write}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: x}]}
`;

test('changes that a job pushed last need the approval of two people', async () => {
  const [owner, author, one, other] = [await w.user(), await w.user(), await w.user(), await w.user()];
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner });
  for (const person of [author, one, other]) await w.collaborator(repo, person, 'write');
  const base = `/repos/${org.login}/${repo.name}`;
  const sha = await commitFiles(w, repo, { '.github/workflows/ci.yml': workflow });
  await w.settle();
  const [asOwner, asAuthor, asOne, asOther] = [await w.as(owner), await w.as(author), await w.as(one), await w.as(other)];
  const parameters = {
    required_approving_review_count: 1,
    dismiss_stale_reviews_on_push: true,
    require_code_owner_review: false,
    require_last_push_approval: true,
    required_review_thread_resolution: false,
  };
  const conditions = { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } };
  const ruleset = { name: 'Reviewed', target: 'branch', enforcement: 'active', conditions };
  const made = await asOwner.post(`${base}/rulesets`, { ...ruleset, rules: [{ type: 'pull_request', parameters }] });
  expect(made.status).toBe(201);
  await asAuthor.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha });
  const push = async (client: typeof asOne, path: string) => {
    expect((await client.put(`${base}/contents/${path}`, { message: path, content: '', branch: 'topic' })).status).toBe(201);
    await w.settle();
  };
  await push(asAuthor, 'begun');
  const { body: pull } = await asAuthor.post(`${base}/pulls`, { title: 'Change it', head: 'topic', base: 'main' });
  const approve = async (client: typeof asOne) =>
    expect((await client.post(`${base}/pulls/${pull.number}/reviews`, { event: 'APPROVE' })).status).toBe(200);
  const merge = () => asOne.put(`${base}/pulls/${pull.number}/merge`, {});

  await push(asOne, 'own');
  await approve(asOne);
  expect((await merge()).status).toBe(405);

  const task = await (await startRunner(w, repo)).fetch();
  await push(await w.as(task?.secrets.GITHUB_TOKEN ?? ''), 'by-job');
  await approve(asOne);
  expect(await merge()).toMatchObject({ status: 405, body: { message: expect.stringContaining('by two people') } });
  await approve(asOther);
  expect((await merge()).status).toBe(200);
});
