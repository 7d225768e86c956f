import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { heard, listening, parts } from './listening.ts';

async function withRepository() {
  const at = await listening();
  const { name } = await at.here.repo(at.org, { by: at.owner });
  await heard(at.here, at.target);
  return { ...at, name, path: `/repos/${at.org.login}/${name}`, told: () => heard(at.here, at.target) };
}

test('issues: opened, edited, sorted, locked, closed and opened again', async () => {
  const { owner, org, client, name, path, told } = await withRepository();
  await client.post(`${path}/issues`, { title: 'One', labels: ['bug'], assignees: [owner.login] });
  const opened = await told();
  expect(Object.keys(opened).sort()).toEqual(['issues.assigned', 'issues.labeled', 'issues.opened']);
  expect(opened['issues.opened']).toMatchObject({
    issue: { number: 1, title: 'One', body: null, state: 'open', user: { login: owner.login }, reactions: { total_count: 0 } },
    repository: { full_name: `${org.login}/${name}`, open_issues_count: 1 },
    ...parts(org, owner),
  });
  expect(opened['issues.labeled']).toMatchObject({ label: { name: 'bug' } });
  expect(opened['issues.assigned']).toMatchObject({ assignee: { login: owner.login } });

  const issue = `${path}/issues/1`;
  await client.patch(issue, { title: 'Two', body: 'More' });
  expect(await told()).toMatchObject({
    'issues.edited': { changes: { title: { from: 'One' }, body: { from: '' } }, issue: { title: 'Two', body: 'More' } },
  });
  await client.patch(issue, { labels: [], assignees: [] });
  expect(await told()).toMatchObject({
    'issues.unlabeled': { label: { name: 'bug' } },
    'issues.unassigned': { assignee: { login: owner.login } },
  });
  await client.put(`${issue}/lock`, { lock_reason: 'spam' });
  expect(await told()).toMatchObject({ 'issues.locked': { issue: { locked: true, active_lock_reason: 'spam' } } });
  await client.delete(`${issue}/lock`);
  expect(await told()).toMatchObject({ 'issues.unlocked': { issue: { locked: false } } });
  await client.patch(issue, { state: 'closed', state_reason: 'not_planned' });
  expect(await told()).toMatchObject({ 'issues.closed': { issue: { state: 'closed', state_reason: 'not_planned' } } });
  await client.patch(issue, { state: 'open' });
  expect(await told()).toMatchObject({ 'issues.reopened': { issue: { state: 'open', closed_at: null } } });
});

test('an issue tells its values in the fields that anybody may know of', async () => {
  const { org, client, path, told } = await withRepository();
  const field = async (body: object) => (await client.post(`/orgs/${org.login}/issue-fields`, body)).body.id;
  const open = await field({ name: 'Effort', data_type: 'number', visibility: 'all' });
  const closed = await field({ name: 'Secret', data_type: 'text' });
  const issue_field_values = [
    { field_id: open, value: 3 },
    { field_id: closed, value: 'hush' },
  ];
  await client.post(`${path}/issues`, { title: 'One', issue_field_values });
  const { 'issues.opened': opened } = await told();
  expect(opened.issue.issue_field_values).toMatchObject([{ issue_field_name: 'Effort', data_type: 'number', value: 3 }]);
  expect(opened.issue.issue_field_values).toHaveLength(1);
});

test('comments come, change and go', async () => {
  const { client, path, told, owner } = await withRepository();
  await client.post(`${path}/issues`, { title: 'One' });
  await told();
  const { body: comment } = await client.post(`${path}/issues/1/comments`, { body: 'first' });
  expect(await told()).toMatchObject({
    'issue_comment.created': { comment: { id: comment.id, body: 'first', user: { login: owner.login } }, issue: { comments: 1 } },
  });
  await client.patch(`${path}/issues/comments/${comment.id}`, { body: 'second' });
  expect(await told()).toMatchObject({
    'issue_comment.edited': { changes: { body: { from: 'first' } }, comment: { body: 'second' } },
  });
  await client.delete(`${path}/issues/comments/${comment.id}`);
  expect(await told()).toMatchObject({ 'issue_comment.deleted': { comment: { body: 'second' }, issue: { comments: 0 } } });
});

test('labels and milestones come, change and go', async () => {
  const { client, path, told } = await withRepository();
  await client.post(`${path}/labels`, { name: 'odd', color: 'ff0000', description: 'x' });
  expect(await told()).toMatchObject({ 'label.created': { label: { name: 'odd', color: 'ff0000' } } });
  await client.patch(`${path}/labels/odd`, { new_name: 'even', description: '' });
  expect(await told()).toMatchObject({ 'label.edited': { label: { name: 'even' }, changes: { name: { from: 'odd' } } } });
  await client.delete(`${path}/labels/even`);
  expect(await told()).toMatchObject({ 'label.deleted': { label: { name: 'even' } } });

  await client.post(`${path}/milestones`, { title: 'v1', due_on: '2026-05-01T00:00:00Z' });
  expect(await told()).toMatchObject({ 'milestone.created': { milestone: { title: 'v1', due_on: '2026-05-01T00:00:00Z' } } });
  await client.post(`${path}/issues`, { title: 'One', milestone: 1 });
  expect(await told()).toMatchObject({ 'issues.milestoned': { milestone: { title: 'v1', open_issues: 1 } } });
  await client.patch(`${path}/issues/1`, { milestone: null });
  expect(await told()).toMatchObject({ 'issues.demilestoned': { milestone: { title: 'v1', open_issues: 0 } } });
  await client.patch(`${path}/milestones/1`, { title: 'v2', due_on: null });
  expect(await told()).toMatchObject({
    'milestone.edited': { changes: { title: { from: 'v1' }, due_on: { from: '2026-05-01T00:00:00Z' } } },
  });
  await client.patch(`${path}/milestones/1`, { state: 'closed' });
  expect(Object.keys(await told())).toEqual(['milestone.closed']);
  await client.patch(`${path}/milestones/1`, { state: 'open' });
  expect(Object.keys(await told())).toEqual(['milestone.opened']);
  await client.delete(`${path}/milestones/1`);
  expect(await told()).toMatchObject({ 'milestone.deleted': { milestone: { title: 'v2' } } });
});

test('what an app does is told with its bot as the sender, and the app', async () => {
  const { here, org, path, told } = await withRepository();
  const app = await installApp(here, { on: org, permissions: { issues: 'write', organization_webhooks: 'read' } });
  const slug = app.bot.login.replace('[bot]', '');
  const client = await here.as(app.token);
  await client.post(`${path}/issues`, { title: 'By a bot' });
  expect(await told()).toMatchObject({
    'issues.opened': { sender: { login: app.bot.login, type: 'Bot' }, issue: { performed_via_github_app: { slug } } },
  });
  await client.post(`${path}/issues/1/comments`, { body: 'And so on' });
  expect(await told()).toMatchObject({
    'issue_comment.created': { comment: { performed_via_github_app: { slug, permissions: { organization_hooks: 'read' } } } },
  });
});
