// Issues of a repository: open, read, change and lock them.
import { Type } from 'typebox';
import { opensIssues, readsIssues, triagesIssuesOrPulls, writesIssues } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { lockIssue, unlockIssue } from '../comments/locks.ts';
import { setValuesIfAllowed } from '../field-values.ts';
import { issue } from '../path-resources.ts';
import { presentIssue } from '../present.ts';
import { prepareReopening } from '../reopening.ts';
import { changeIssue, openIssue } from '../rules.ts';
import { Issue, IssueChange, Lock, NewIssue } from '../schemas.ts';
import { textMedia } from '../texts/texts.ts';

export const createIssue = endpoint({
  id: 'issues/create',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues',
  summary: 'Create an issue',
  access: opensIssues,
  body: NewIssue,
  example: { title: 'The engine stalls', body: 'After an hour.', labels: ['bug'] },
  media: textMedia,
  replies: { 201: Issue },
  async handle({ scope, change, body, action, links }) {
    const row = await change(async (scope) => {
      const issue = await openIssue(scope, { ...action, html: links.html }, body);
      await setValuesIfAllowed(scope, action, issue, body.issue_field_values);
      return issue;
    });
    return presentIssue(scope, row);
  },
});

export const getRepoIssue = endpoint({
  id: 'issues/get',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}',
  resources: [issue],
  summary: 'Get an issue',
  access: readsIssues,
  media: textMedia,
  replies: { 200: Issue },
  async handle({ scope, at }) {
    return presentIssue(scope, at.issue);
  },
});

export const updateRepoIssue = endpoint({
  id: 'issues/update',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/issues/{issue_number}',
  resources: [issue],
  summary: 'Update an issue',
  access: writesIssues,
  body: IssueChange,
  example: { state: 'closed', state_reason: 'completed' },
  media: textMedia,
  replies: { 200: Issue },
  async handle({ scope, change, at, body, action, links }) {
    await prepareReopening(scope, at.issue, body.state);
    const row = await change(async (scope, { issue }) => {
      const changed = await changeIssue(scope, { ...action, html: links.html }, issue, body);
      await setValuesIfAllowed(scope, action, changed, body.issue_field_values);
      return changed;
    });
    return presentIssue(scope, row);
  },
});

export const lockRepoIssue = endpoint({
  id: 'issues/lock',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/lock',
  resources: [issue],
  summary: 'Lock an issue',
  access: { ...triagesIssuesOrPulls, role: 'write' },
  body: Type.Union([Lock, Type.Null()], { title: 'Issue' }),
  example: { lock_reason: 'resolved' },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    const reason = body?.lock_reason ?? null;
    await change((scope, { issue }) => lockIssue(scope, action, issue, reason));
  },
});

export const unlockRepoIssue = endpoint({
  id: 'issues/unlock',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/lock',
  resources: [issue],
  summary: 'Unlock an issue',
  access: { ...triagesIssuesOrPulls, role: 'write' },
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { issue }) => unlockIssue(scope, action, issue));
  },
});
