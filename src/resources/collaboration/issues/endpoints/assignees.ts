// Assignees of issues, and the users who can be assigned.
import { Type } from 'typebox';
import { readsIssuesOrPulls, triagesIssuesOrPulls } from '#access/policies.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { gather } from '#lib/collections.ts';
import { Nothing } from '#lib/shape.ts';
import { findUsersByLogin, presentUser, User } from '#resources/identity/accounts/index.ts';
import { assign, loginsOf, unassign } from '../assignment/assignees.ts';
import { findAssignable, listAssignable } from '../assignment/store.ts';
import { assignee, issue } from '../path-resources.ts';
import { presentIssue } from '../present.ts';
import { Issue, SomeAssignees } from '../schemas.ts';
import { textMedia } from '../texts/texts.ts';
import { recordActivity } from '../timeline/activity.ts';

export const listAssignees = endpoint({
  id: 'issues/list-assignees',
  method: 'GET',
  path: '/repos/{owner}/{repo}/assignees',
  summary: 'List assignees',
  access: readsIssuesOrPulls,
  paging: pages(),
  replies: { 200: Type.Array(User) },
  async handle({ db, at, viewer, page, links }) {
    return mapEach(await listAssignable(db, at.repo, viewer, page), (row) => presentUser(links, row));
  },
});

export const checkAssignee = endpoint({
  id: 'issues/check-user-can-be-assigned',
  method: 'GET',
  path: '/repos/{owner}/{repo}/assignees/{assignee}',
  resources: [assignee],
  summary: 'Check if a user can be assigned',
  access: readsIssuesOrPulls,
  replies: { 204: Nothing },
  async handle() {
    // The path resource has found the assignee: the reply is 204.
  },
});

export const checkAssigneeOfIssue = endpoint({
  id: 'issues/check-user-can-be-assigned-to-issue',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/assignees/{assignee}',
  resources: [issue, assignee],
  summary: 'Check if a user can be assigned to an issue',
  access: readsIssuesOrPulls,
  replies: { 204: Nothing },
  async handle() {
    // The path resource has found the assignee: the reply is 204.
  },
});

/** As in the public API, users who can't be assigned are left out without an error. */
export const addIssueAssignees = endpoint({
  id: 'issues/add-assignees',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/assignees',
  resources: [issue],
  summary: 'Add assignees to an issue',
  access: triagesIssuesOrPulls,
  body: SomeAssignees,
  example: { assignees: ['ada'] },
  media: textMedia,
  replies: { 201: Issue },
  async handle({ scope, change, at, body, action }) {
    const row = await change(async (scope, { issue }) => {
      const users = await findAssignable(scope.tx, at.repo, loginsOf(body.assignees));
      return recordActivity(scope, action, issue, await assign(scope, action, issue, users));
    });
    return presentIssue(scope, row);
  },
});

export const removeIssueAssignees = endpoint({
  id: 'issues/remove-assignees',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/assignees',
  resources: [issue],
  summary: 'Remove assignees from an issue',
  access: triagesIssuesOrPulls,
  body: SomeAssignees,
  example: { assignees: ['ada'] },
  media: textMedia,
  replies: { 200: Issue },
  async handle({ scope, change, body, action }) {
    const row = await change(async (scope, { issue }) => {
      const users = gather(await findUsersByLogin(scope.tx, loginsOf(body.assignees)), 'id');
      return recordActivity(scope, action, issue, await unassign(scope, action, issue, users));
    });
    return presentIssue(scope, row);
  },
});
