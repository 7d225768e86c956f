// Sub-issues of an issue, and its parent.
import { Type } from 'typebox';
import { readsIssues, writesIssues } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { orNotFound } from '#lib/refusal.ts';
import { Issue, presentIssue, presentIssues, textMedia } from '#resources/collaboration/issues/index.ts';
import { relatedIssue } from '../path-resources.ts';
import { FormerSubIssue, NewSubIssue, SubIssuePosition } from '../schemas.ts';
import { findParent, listSubIssues } from '../store.ts';
import { addSubIssue, dropSubIssue, reorderSubIssue } from '../sub-issues.ts';

const writes = { ...writesIssues, role: 'triage' } as const;

export const listSubIssuesOfIssue = endpoint({
  id: 'issues/list-sub-issues',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/sub_issues',
  resources: [relatedIssue],
  summary: 'List sub-issues',
  access: readsIssues,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(Issue) },
  async handle({ scope, db, at, page, viewer }) {
    const found = await listSubIssues(db, viewer, at.issue, page);
    return mapRows(found, (rows) => presentIssues(scope, rows));
  },
});

export const getParentOfIssue = endpoint({
  id: 'issues/get-parent',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/parent',
  resources: [relatedIssue],
  summary: 'Get parent issue',
  access: readsIssues,
  media: textMedia,
  replies: { 200: Issue },
  async handle({ scope, db, at, viewer }) {
    const parent = orNotFound(await findParent(db, viewer, at.issue));
    return presentIssue(scope, parent);
  },
});

/** The reply is the parent issue. */
export const addSubIssueToIssue = endpoint({
  id: 'issues/add-sub-issue',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/sub_issues',
  resources: [relatedIssue],
  summary: 'Add sub-issue',
  access: writes,
  body: NewSubIssue,
  example: { sub_issue_id: 1, replace_parent: true },
  media: textMedia,
  replies: { 201: Issue },
  async handle({ scope, change, body, action }) {
    const row = await change((scope, { issue }) => addSubIssue(scope, action, issue, body));
    return presentIssue(scope, row);
  },
});

export const removeSubIssueOfIssue = endpoint({
  id: 'issues/remove-sub-issue',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/sub_issue',
  resources: [relatedIssue],
  summary: 'Remove sub-issue',
  access: writes,
  body: FormerSubIssue,
  example: { sub_issue_id: 6 },
  media: textMedia,
  replies: { 200: Issue },
  async handle({ scope, change, body, action }) {
    const row = await change((scope, { issue }) => dropSubIssue(scope, action, issue, body.sub_issue_id));
    return presentIssue(scope, row);
  },
});

export const reprioritizeSubIssue = endpoint({
  id: 'issues/reprioritize-sub-issue',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/sub_issues/priority',
  resources: [relatedIssue],
  summary: 'Reprioritize sub-issue',
  access: writes,
  body: SubIssuePosition,
  example: { sub_issue_id: 6, after_id: 5 },
  media: textMedia,
  replies: { 200: Issue },
  async handle({ scope, change, at, body, action }) {
    await change((scope, { issue }) => reorderSubIssue(scope, action, issue, body));
    return presentIssue(scope, at.issue);
  },
});
