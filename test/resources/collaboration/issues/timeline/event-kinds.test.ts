import { expect, test } from 'vitest';
import { issueEventKinds, kindsNotRaised } from '#resources/collaboration/issues/timeline/event-kinds.ts';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { queueSetting } from '#test/resources/collaboration/merge-queues/setting.ts';
import { pullSetting, push } from '#test/resources/collaboration/pulls/setting.ts';
import description from '#test/spec/public-description.json' with { type: 'json' };
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo } = w;

/** Shapes of the public API that are named otherwise than the kinds that they are of. */
const kindsOfShape: Readonly<Record<string, readonly string[]>> = {
  comment: [], // `commented` is a comment, not an event that is stored
  'converted-note-to-issue': ['converted_note_to_issue'],
  'cross-referenced': ['cross-referenced'],
  'commit-commented': ['commit-commented'],
  'line-commented': ['line-commented'],
  'moved-column-in-project': ['moved_columns_in_project'],
  'state-change': ['closed', 'reopened'],
};

/** The kinds of events that have a shape of their own in the public description. */
const describedKinds = Object.keys(description.schemas).flatMap((name) => {
  const shape = /^(?:timeline-)?(.+?)(?:-issue)?-event$/.exec(name)?.[1];
  if (shape === undefined || shape === 'issue' || !/issue-event$|^timeline-/.test(name)) return [];
  return kindsOfShape[shape] ?? [shape.replaceAll('-', '_')];
});

test('every kind that the public API describes is raised, or listed with the reason why nothing raises it', () => {
  expect(describedKinds.length).toBeGreaterThan(30);
  const known: readonly string[] = [...issueEventKinds, ...Object.keys(kindsNotRaised)];
  expect(describedKinds.filter((kind) => !known.includes(kind))).toEqual([]);
  expect(issueEventKinds.filter((kind) => kind in kindsNotRaised)).toEqual([]);
});

test('every kind in the list is raised by something', async () => {
  const owner = await user('ada');
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner });
  const path = `/repos/${acme.login}/${engine.name}`;
  const client = await as(owner);
  const field = await client.post(`/orgs/${acme.login}/issue-fields`, { name: 'Effort', data_type: 'number' });
  const value = (number: number) => ({ issue_field_values: [{ field_id: field.body.id, value: number }] });
  await client.post(`${path}/milestones`, { title: 'v1' });
  await client.post(`${path}/issues`, { title: 'Original' });
  await client.post(`${path}/issues`, { title: 'It stalls', body: '@ada' });
  const issue = `${path}/issues/2`;
  await client.patch(issue, { title: 'It stalls at noon', milestone: 1, labels: ['bug'], assignees: ['ada'] });
  await client.patch(issue, { milestone: null, labels: [], assignees: [] });
  await client.put(`${issue}/lock`, {});
  await client.delete(`${issue}/lock`);
  for (const number of [1, 2]) await client.post(`${issue}/issue-field-values`, value(number));
  await client.delete(`${issue}/issue-field-values/${field.body.id}`);
  const comment = await client.post(`${path}/issues/1/comments`, { body: 'As #2' });
  await client.delete(`${path}/issues/comments/${comment.body.id}`);
  const original = (await client.get(`${path}/issues/1`)).body.id;
  await client.patch(issue, { state: 'closed', state_reason: 'duplicate', duplicate_issue_id: original });
  await client.patch(issue, { state: 'open' });
  await client.post(`${issue}/sub_issues`, { sub_issue_id: original });
  await client.delete(`${issue}/sub_issue`, { sub_issue_id: original });
  await client.post(`${issue}/dependencies/blocked_by`, { issue_id: original });
  await client.delete(`${issue}/dependencies/blocked_by/${original}`);
  await commitFiles(w, engine, { a: 'a' }, 'Look into #2');
  await (await as(await user())).post(`${issue}/comments`, { body: 'Here, too.' });
  await w.settle();
  const { body: threads } = await client.get('/notifications');
  await client.delete(`/notifications/threads/${threads[0].id}/subscription`);

  const pulls = [...(await raisedByPulls()), ...(await raisedByQueue())];
  const timelines = await Promise.all([1, 2].map((number) => client.get(`${path}/issues/${number}/timeline?per_page=100`)));
  const raised = timelines.flatMap(({ body }) => body.map(({ event }: { event: string }) => event));
  // Timelines hold comments, commits and reviews beside events.
  const isStored = (event: string) => !['commented', 'committed', 'reviewed'].includes(event);
  expect([...new Set([...raised, ...pulls])].filter(isStored).sort()).toEqual([...issueEventKinds]);
});

/** The kinds of events in the timelines of pull requests to which all happens that can happen to them alone. */
async function raisedByPulls(): Promise<string[]> {
  const { client, base, commit, open, first, tip, ada, repo: own } = await pullSetting(w);
  await commit('release', { 'r.txt': 'r' });
  const head = await commit('topic', { 'b.txt': 'b' });
  const [number, other] = [await open('topic', { draft: true }), await open('topic', { base: 'release' })];
  await client.patch(`${base}/pulls/${number}`, { draft: false });
  await client.patch(`${base}/pulls/${number}`, { draft: true });
  const reviewer = await user();
  await w.collaborator(own, reviewer, 'read');
  const reviewers = { reviewers: [reviewer.login] };
  await client.post(`${base}/pulls/${number}/requested_reviewers`, reviewers);
  await client.delete(`${base}/pulls/${number}/requested_reviewers`, reviewers);
  const deployment = await client.post(`${base}/deployments`, { ref: head });
  await client.post(`${base}/deployments/${deployment.body.id}/statuses`, { state: 'pending', environment: 'review' });
  await client.delete(`${base}/git/refs/heads/topic`);
  await w.settle();
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: head });
  await w.settle();
  await client.patch(`${base}/pulls/${number}`, { state: 'open', draft: false, base: 'release' });
  await push(w, ada, own, 'topic', await addCommit(diskOf(w, own), { files: { 'c.txt': 'c' }, parents: [first] }));
  await w.settle();
  const review = await (await as(reviewer)).post(`${base}/pulls/${number}/reviews`, { event: 'APPROVE' });
  await client.put(`${base}/pulls/${number}/reviews/${review.body.id}/dismissals`, { message: 'Too early.' });
  await client.put(`${base}/pulls/${number}/merge`);
  // The branch that was merged goes: one pull request into it has something to bring to the base, the other hasn't.
  await commit('stacked', { 's.txt': 's' });
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/same', sha: await tip('release') });
  const into = [await open('stacked', { base: 'topic' }), await open('same', { base: 'topic' })];
  await client.delete(`${base}/git/refs/heads/topic`);
  await w.settle();
  const timelines = await Promise.all([number, other, ...into].map((one) => client.get(`${base}/issues/${one}/timeline`)));
  return timelines.flatMap(({ body }) => body.map(({ event }: { event: string }) => event));
}

/** The kinds of events of a pull request that enters a merge queue and leaves it. */
async function raisedByQueue(): Promise<string[]> {
  const { client, base, ready, enqueue } = await queueSetting(w);
  const { number } = await ready('queued');
  await enqueue(number);
  await client.delete(`${base}/pulls/${number}/queue-entry`);
  await w.settle();
  const { body } = await client.get(`${base}/issues/${number}/timeline`);
  return body.map(({ event }: { event: string }) => event);
}

test.each([
  ['another reason', { state: 'closed', state_reason: 'completed' }, 'own'],
  ['itself', { state: 'closed', state_reason: 'duplicate' }, 'self'],
  ['an issue that the caller may not read', { state: 'closed', state_reason: 'duplicate' }, 'hidden'],
  ['an issue that is not there', { state: 'closed', state_reason: 'duplicate' }, 'none'],
] as const)('an issue is no duplicate with %s', async (_, change, which) => {
  const [owner, other] = [await user(), await user()];
  const [engine, hidden] = [await repo(owner), await repo(other, { visibility: 'private' })];
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  const own = (await client.post(`${path}/issues`, { title: 'Own' })).body.id;
  const self = (await client.post(`${path}/issues`, { title: 'Self' })).body.id;
  const secret = (await (await as(other)).post(`/repos/${other.login}/${hidden.name}/issues`, { title: 'Hidden' })).body.id;
  const duplicate_issue_id = { own, self, hidden: secret, none: 999_999_999 }[which];
  const reply = await client.patch(`${path}/issues/2`, { ...change, duplicate_issue_id });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'Issue', field: 'duplicate_issue_id' }] } });
  expect((await client.get(`${path}/issues/2`)).body.state).toBe('open');
});

test('a duplicate is marked once, and unmarked when it gets another reason', async () => {
  const owner = await user();
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  const { body: original } = await client.post(`${path}/issues`, { title: 'Original' });
  await client.post(`${path}/issues`, { title: 'Again' });
  const mark = { state: 'closed', state_reason: 'duplicate', duplicate_issue_id: original.id };
  expect((await client.patch(`${path}/issues/2`, mark)).body.state_reason).toBe('duplicate');
  await client.patch(`${path}/issues/2`, mark);
  await client.patch(`${path}/issues/2`, { title: 'Once more' });
  await client.patch(`${path}/issues/2`, { state_reason: 'completed' });
  const { body } = await client.get(`${path}/issues/2/events`);
  expect(body.map(({ event }: { event: string }) => event)).toEqual([
    'closed',
    'marked_as_duplicate',
    'renamed',
    'unmarked_as_duplicate',
  ]);
});
