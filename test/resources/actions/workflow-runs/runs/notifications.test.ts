import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { inbox } from '#test/resources/platform/notifications/stage.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { ciPath, pushWorkflow } from '../setting.ts';

const w = await world();

const fileOf = (environment: string) => `name: CI
on: workflow_dispatch
jobs:
  build:
    runs-on: ubuntu-latest
    ${environment}
    steps:
      - run: make
`;

/** A repository of an organization with a workflow that bob, who may write, dispatches. */
async function setting(environment = '') {
  const [owner, bob] = [await w.user(), await w.user()];
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner });
  await w.collaborator(repo, bob, 'write');
  const [client, asBob] = [await w.as(owner), await w.as(bob)];
  const base = `/repos/${org.login}/${repo.name}`;
  await pushWorkflow(w, repo, { [ciPath]: fileOf(environment) });
  const dispatch = async () => {
    w.clock.now = new Date(w.clock.now.getTime() + 5_000);
    expect((await asBob.post(`${base}/actions/workflows/ci.yml/dispatches`, { ref: 'main' })).status).toBe(204);
    await w.settle();
    const { body } = await client.get(`${base}/actions/runs`);
    return body.workflow_runs[0];
  };
  return { owner, org, repo, bob, client, asBob, base, dispatch };
}

test('who triggered a run is told that it completed, however it ended, and nobody else', async () => {
  const { repo, client, asBob, base, dispatch } = await setting();
  await client.put(`${base}/subscription`, { subscribed: true });
  const runner = await startRunner(w, repo);
  for (const [result, words] of [
    ['success', 'succeeded'],
    ['failure', 'failed'],
  ] as const) {
    await dispatch();
    const task = await runner.fetch();
    expect(await inbox(asBob)).toEqual([]);
    if (!task) throw new Error('No job waits');
    await runner.end(task, result);
    await w.settle();
    expect(await inbox(asBob)).toMatchObject([
      { reason: 'ci_activity', unread: true, title: `CI workflow run ${words} for main branch` },
    ]);
    await asBob.put('/notifications');
  }
  const run = await dispatch();
  await client.post(`${base}/actions/runs/${run.id}/cancel`);
  await w.settle();
  expect(await inbox(asBob)).toMatchObject([{ title: 'CI workflow run cancelled for main branch' }]);
  expect((await asBob.get('/notifications')).body[0].subject).toMatchObject({ type: 'CheckSuite', url: null });
  expect(await inbox(client)).toEqual([]);
});

test('the reviewers of an environment are told that a deployment waits for them', async () => {
  const { org, repo, bob, client, asBob, base, dispatch } = await setting('environment: production');
  const [person, member, stranger] = [await w.user(), await w.user(), await w.user()];
  await w.collaborator(repo, person, 'read');
  await w.member(org, member);
  const { body: team } = await client.post(`/orgs/${org.login}/teams`, { name: 'Deployers' });
  await client.put(`/orgs/${org.login}/teams/${team.slug}/memberships/${member.login}`);
  await client.put(`/orgs/${org.login}/teams/${team.slug}/repos/${org.login}/${repo.name}`, { permission: 'pull' });
  const review = (prevent_self_review: boolean) =>
    client.put(`${base}/environments/production`, {
      prevent_self_review,
      reviewers: [
        { type: 'User', id: person.id },
        { type: 'User', id: bob.id },
        { type: 'Team', id: team.id },
      ],
    });
  const told = async (who: Account) => inbox(await w.as(who));
  await review(true);
  await dispatch();
  const request = { reason: 'approval_requested', unread: true, title: 'CI waits for a review to deploy to production' };
  expect(await told(person)).toMatchObject([request]);
  expect(await told(member)).toMatchObject([request]);
  for (const who of [bob, stranger]) expect(await told(who)).toEqual([]);

  await review(false);
  await dispatch();
  expect(await inbox(asBob)).toMatchObject([request]);
});
