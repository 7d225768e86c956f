// Two people and an app take a change from a fork to a merged pull request, by unmodified Octokits, in either vocabulary.
import { Octokit } from 'octokit';
import { expect } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { heard } from '#test/resources/platform/webhooks/listening.ts';
import { installApp } from '#test/support/apps.ts';
import { type Receiver, receiver } from '#test/support/receiver.ts';
import type { World } from '#test/support/world.ts';

type Rest = Octokit['rest'];

const restOf = (w: World, auth: string): Rest =>
  new Octokit({ auth, baseUrl: `${w.url}/api/v3`, throttle: { enabled: false }, retry: { enabled: false } }).rest;

const content = (text: string) => Buffer.from(text).toString('base64');

/** The names of what was sent to a hook, each once. */
async function sent(w: World, target: Receiver): Promise<string[]> {
  await w.settle();
  const names = target.requests.map(({ headers, body }) => {
    const event = String(headers['x-github-event'] ?? headers['x-service-event']);
    const { action } = JSON.parse(body) as { action?: string };
    return action === undefined ? event : `${event}.${action}`;
  });
  target.requests.length = 0;
  return [...new Set(names)].sort();
}

/** @param w a server of its own: `conforms` checks the payloads by the public schemas, which have the public words */
export async function takeChangeToMerge(w: World, { conforms }: { conforms: boolean }): Promise<void> {
  const [ada, bob]: [Account, Account] = [await w.user(), await w.user()];
  const scopes = ['repo', 'notifications', 'admin:repo_hook'] as const;
  const [asAda, asBob] = [restOf(w, await w.token(ada, scopes)), restOf(w, await w.token(bob, scopes))];
  const target = await receiver();
  const told = async (): Promise<string[]> => (conforms ? Object.keys(await heard(w, target)).sort() : sent(w, target));
  const kinds = async () => {
    const { data } = await asAda.issues.listEventsForTimeline({ ...at, issue_number: pull_number, per_page: 100 });
    return data.map(({ event }) => event);
  };

  await asAda.repos.createForAuthenticatedUser({ name: 'engine', auto_init: true });
  const at = { owner: ada.login, repo: 'engine' };
  await asAda.repos.createWebhook({ ...at, config: { url: target.url, content_type: 'json' }, events: ['*'] });
  const { data: issue } = await asAda.issues.create({ ...at, title: 'It is too loud' });
  await told();

  // Bob forks, changes, and asks to merge.
  await asBob.repos.createFork(at);
  await w.settle();
  const fork = { owner: bob.login, repo: 'engine' };
  const { data: main } = await asBob.git.getRef({ ...fork, ref: 'heads/main' });
  await asBob.git.createRef({ ...fork, ref: 'refs/heads/quieter', sha: main.object.sha });
  const change = { ...fork, path: 'muffler.txt', branch: 'quieter' };
  const { data: first } = await asBob.repos.createOrUpdateFileContents({
    ...change,
    message: 'Add a muffler',
    content: content('one\ntwo\n'),
  });
  await told();
  const wanted = { ...at, title: 'A quieter engine', head: `${bob.login}:quieter`, base: 'main', body: `Fixes #${issue.number}` };
  const { data: opened } = await asBob.pulls.create(wanted);
  const pull_number = opened.number;
  expect(opened).toMatchObject({
    number: 2,
    state: 'open',
    commits: 1,
    head: { repo: { fork: true } },
    user: { login: bob.login },
  });
  expect(await told()).toContain('pull_request.opened');
  expect((await asAda.pulls.list(at)).data).toMatchObject([{ number: 2, title: 'A quieter engine' }]);
  expect((await asAda.pulls.listFiles({ ...at, pull_number })).data).toMatchObject([{ filename: 'muffler.txt', additions: 2 }]);
  expect((await asAda.pulls.listCommits({ ...at, pull_number })).data).toMatchObject([{ sha: first.commit.sha }]);
  expect((await asAda.pulls.get({ ...at, pull_number })).data).toMatchObject({ mergeable: true, mergeable_state: 'clean' });
  expect((await asAda.repos.get(at)).data.open_issues_count).toBe(2);

  // An app checks the head, and says no.
  const app = await installApp(w, { on: ada, permissions: { checks: 'write', metadata: 'read', pull_requests: 'read' } });
  const asApp = restOf(w, app.token);
  const run = { ...at, name: 'loudness', head_sha: opened.head.sha };
  const { data: failing } = await asApp.checks.create({ ...run, conclusion: 'failure' });
  expect(failing).toMatchObject({ conclusion: 'failure' });
  expect((await asAda.pulls.get({ ...at, pull_number })).data.mergeable_state).toBe('unstable');
  expect(await told()).toContain('check_run.completed');

  // Ada reviews a line, and wants a change.
  await asAda.pulls
    .requestReviewers({ ...at, pull_number, reviewers: [ada.login] })
    .catch((error) => expect(error.status).toBe(422));
  const { data: review } = await asAda.pulls.createReview({
    ...at,
    pull_number,
    event: 'REQUEST_CHANGES',
    body: 'Nearly.',
    comments: [{ path: 'muffler.txt', line: 2, side: 'RIGHT', body: 'Three, please.' }],
  });
  expect(review).toMatchObject({ state: 'CHANGES_REQUESTED', user: { login: ada.login } });
  const { data: comments } = await asBob.pulls.listReviewComments({ ...at, pull_number });
  expect(comments).toMatchObject([{ path: 'muffler.txt', line: 2, body: 'Three, please.', pull_request_review_id: review.id }]);
  expect(await told()).toEqual(expect.arrayContaining(['pull_request_review.submitted', 'pull_request_review_comment.created']));
  await expect(asBob.pulls.createReview({ ...at, pull_number, event: 'APPROVE' })).rejects.toMatchObject({ status: 422 });

  // Bob changes the line, and answers.
  const { data: file } = await asBob.repos.getContent({ ...fork, path: 'muffler.txt', ref: 'quieter' });
  const { data: second } = await asBob.repos.createOrUpdateFileContents({
    ...change,
    message: 'Three',
    content: content('one\nthree\n'),
    sha: (file as { sha: string }).sha,
  });
  await asBob.pulls.createReplyForReviewComment({ ...at, pull_number, comment_id: comments[0]?.id ?? 0, body: 'Done.' });
  expect(await told()).toEqual(expect.arrayContaining(['pull_request.synchronize', 'pull_request_review_comment.created']));
  expect((await asAda.pulls.get({ ...at, pull_number })).data).toMatchObject({ head: { sha: second.commit.sha }, commits: 2 });
  const { data: outdated } = await asAda.pulls.listReviewComments({ ...at, pull_number });
  expect(outdated).toMatchObject([{ line: null, original_line: 2 }, { in_reply_to_id: outdated[0]?.id }]);

  // The app says yes, Ada approves and merges.
  await asApp.checks.create({ ...run, head_sha: second.commit.sha ?? '', conclusion: 'success' });
  await asAda.pulls.createReview({ ...at, pull_number, event: 'APPROVE' });
  await told();
  expect((await asAda.pulls.get({ ...at, pull_number })).data).toMatchObject({ mergeable: true, mergeable_state: 'clean' });
  const merge = { ...at, pull_number, merge_method: 'merge' } as const;
  await expect(asAda.pulls.merge({ ...merge, sha: opened.head.sha })).rejects.toMatchObject({ status: 409 });
  await expect(asBob.pulls.merge(merge)).rejects.toMatchObject({ status: 403 });
  const { data: merged } = await asAda.pulls.merge({ ...merge, sha: second.commit.sha ?? '' });
  expect(merged).toMatchObject({ merged: true, message: 'Pull Request successfully merged' });
  expect(await told()).toEqual(expect.arrayContaining(['issues.closed', 'pull_request.closed', 'push']));
  expect((await asAda.pulls.checkIfMerged({ ...at, pull_number })).status).toBe(204);
  expect((await asAda.issues.get({ ...at, issue_number: issue.number })).data).toMatchObject({ state: 'closed' });
  expect((await asAda.repos.getCommit({ ...at, ref: 'main' })).data).toMatchObject({
    sha: merged.sha,
    parents: [{}, { sha: second.commit.sha }],
  });
  expect((await asAda.repos.get(at)).data.open_issues_count).toBe(0);
  expect((await asAda.repos.listPullRequestsAssociatedWithCommit({ ...at, commit_sha: merged.sha })).data).toMatchObject([
    { number: 2 },
  ]);
  expect(await kinds()).toEqual(expect.arrayContaining(['committed', 'reviewed', 'merged', 'closed']));
  const found = async (q: string) =>
    (await asAda.search.issuesAndPullRequests({ q: `repo:${ada.login}/engine ${q}` })).data.items.map(({ number }) => number);
  expect(await found('is:pr is:merged review:approved')).toEqual([2]);
  expect(await found('is:issue is:closed')).toEqual([1]);
  expect(await found(`is:pr reviewed-by:${ada.login}`)).toEqual([2]);
  const { data: threads } = await asBob.activity.listNotificationsForAuthenticatedUser({ all: true });
  expect(threads.map(({ subject }) => subject)).toMatchObject([
    { type: 'PullRequest', title: 'A quieter engine', url: opened.url },
    { type: 'CheckSuite', title: expect.stringMatching(/ workflow run failed for quieter branch$/), url: null },
  ]);
}
