// The labels of an issue.
import { type Static, Type } from 'typebox';
import { readsIssuesOrPulls, triagesIssuesOrPulls } from '#access/policies.ts';
import type { Repo } from '#access/viewer.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pages } from '#endpoint/paging.ts';
import type { Scope } from '#endpoint/scope.ts';
import { Nothing } from '#lib/shape.ts';
import { Label, presentLabel } from '#resources/repositories/labels/index.ts';
import { labelIssue, labelNames, replaceLabels, unlabelIssue } from '../labels/labels.ts';
import { issue, issueLabel } from '../path-resources.ts';
import { SomeLabels } from '../schemas.ts';
import { type IssueRow, listIssueLabels } from '../store.ts';
import { recordActivity } from '../timeline/activity.ts';

const presentLabels = async ({ db, links }: Scope, repo: Repo, issue: IssueRow): Promise<Label[]> =>
  (await listIssueLabels(db, issue.id)).map((row) => presentLabel(links, repo, row));

export const listLabelsOnIssue = endpoint({
  id: 'issues/list-labels-on-issue',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  resources: [issue],
  summary: 'List labels for an issue',
  access: readsIssuesOrPulls,
  paging: pages(),
  replies: { 200: Type.Array(Label) },
  async handle({ scope, at, page }) {
    return pageOut(await presentLabels(scope, at.repo, at.issue), page);
  },
});

/** A bare list of labels, or one in an object. */
const listIn = (body: Static<typeof SomeLabels>) => ('labels' in body ? body.labels : Array.isArray(body) ? body : []);

const labelling = {
  access: triagesIssuesOrPulls,
  body: SomeLabels,
  example: { labels: ['bug'] },
  replies: { 200: Type.Array(Label) },
};

export const addIssueLabels = endpoint({
  ...labelling,
  id: 'issues/add-labels',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  resources: [issue],
  summary: 'Add labels to an issue',
  async handle({ scope, change, at, body, action }) {
    const names = labelNames(listIn(body));
    await change(async (scope, { issue }) => recordActivity(scope, action, issue, await labelIssue(scope, action, issue, names)));
    return presentLabels(scope, at.repo, at.issue);
  },
});

export const setIssueLabels = endpoint({
  ...labelling,
  id: 'issues/set-labels',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  resources: [issue],
  summary: 'Set labels for an issue',
  async handle({ scope, change, at, body, action }) {
    const names = labelNames(listIn(body));
    await change(async (scope, { issue }) =>
      recordActivity(scope, action, issue, await replaceLabels(scope, action, issue, names)),
    );
    return presentLabels(scope, at.repo, at.issue);
  },
});

export const removeAllIssueLabels = endpoint({
  id: 'issues/remove-all-labels',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  resources: [issue],
  summary: 'Remove all labels from an issue',
  access: triagesIssuesOrPulls,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change(async (scope, { issue }) => recordActivity(scope, action, issue, await replaceLabels(scope, action, issue, [])));
  },
});

export const removeIssueLabel = endpoint({
  id: 'issues/remove-label',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}',
  resources: [issueLabel],
  summary: 'Remove a label from an issue',
  access: triagesIssuesOrPulls,
  replies: { 200: Type.Array(Label) },
  async handle({ scope, change, at, action }) {
    await change(async (scope, { issue, issueLabel }) =>
      recordActivity(scope, action, issue, await unlabelIssue(scope, action, issue, [issueLabel])),
    );
    return presentLabels(scope, at.repo, at.issue);
  },
});
