// The issues that block an issue, and those that it blocks.
import { Type } from 'typebox';
import { readsIssues, writesIssues } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Issue, presentIssue, presentIssues, textMedia } from '#resources/collaboration/issues/index.ts';
import { addBlockedBy, removeBlockedBy } from '../dependencies.ts';
import { blockingIssue, relatedIssue } from '../path-resources.ts';
import { NewDependency } from '../schemas.ts';
import { listDependencies } from '../store.ts';

const writes = { ...writesIssues, role: 'triage' } as const;

export const listBlockedBy = endpoint({
  id: 'issues/list-dependencies-blocked-by',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by',
  resources: [relatedIssue],
  summary: 'List dependencies an issue is blocked by',
  access: readsIssues,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(Issue) },
  async handle({ scope, db, at, page, viewer }) {
    const found = await listDependencies(db, viewer, at.issue, 'blocked_by', page);
    return mapRows(found, (rows) => presentIssues(scope, rows));
  },
});

export const listBlocking = endpoint({
  id: 'issues/list-dependencies-blocking',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocking',
  resources: [relatedIssue],
  summary: 'List dependencies an issue is blocking',
  access: readsIssues,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(Issue) },
  async handle({ scope, db, at, page, viewer }) {
    const found = await listDependencies(db, viewer, at.issue, 'blocking', page);
    return mapRows(found, (rows) => presentIssues(scope, rows));
  },
});

/** The reply is the blocked issue. */
export const addBlockedByToIssue = endpoint({
  id: 'issues/add-blocked-by-dependency',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by',
  resources: [relatedIssue],
  summary: 'Add a dependency an issue is blocked by',
  access: writes,
  body: NewDependency,
  example: { issue_id: 1 },
  media: textMedia,
  replies: { 201: Issue },
  async handle({ scope, change, body, action }) {
    const row = await change((scope, { issue }) => addBlockedBy(scope, action, issue, body.issue_id));
    return presentIssue(scope, row);
  },
});

export const removeBlockedByOfIssue = endpoint({
  id: 'issues/remove-dependency-blocked-by',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by/{issue_id}',
  resources: [blockingIssue],
  summary: 'Remove dependency an issue is blocked by',
  access: writes,
  media: textMedia,
  replies: { 200: Issue },
  async handle({ scope, change, action }) {
    const row = await change((scope, { issue, blockingIssue }) => removeBlockedBy(scope, action, issue, blockingIssue));
    return presentIssue(scope, row);
  },
});
