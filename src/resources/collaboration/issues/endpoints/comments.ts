// Comments on issues.
import { Type } from 'typebox';
import { interactsWithIssuesOrPulls, readsIssues, readsIssuesOrPulls, writesIssuesOrPulls } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing, OneOf, withDefault } from '#lib/shape.ts';
import { changeComment, commentOn, deleteComment } from '../comments/comments.ts';
import { listCommentsOfRepository, listOfIssue } from '../comments/store.ts';
import { comment, issue } from '../path-resources.ts';
import { presentComment, presentComments } from '../present.ts';
import { checkHasIssues } from '../rules.ts';
import { IssueComment, NewComment } from '../schemas.ts';
import { textMedia } from '../texts/texts.ts';

const since = Type.Optional(Type.String({ format: 'date-time' }));
const dateOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

export const listIssueComments = endpoint({
  id: 'issues/list-comments',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
  resources: [issue],
  summary: 'List issue comments',
  access: readsIssuesOrPulls,
  query: Type.Object({ since }),
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(IssueComment) },
  async handle({ scope, db, at, query, page }) {
    const found = await listOfIssue(db, at.issue.id, dateOf(query.since), page);
    return mapRows(found, (rows) => presentComments(scope, rows));
  },
});

export const listRepoComments = endpoint({
  id: 'issues/list-comments-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/comments',
  summary: 'List issue comments for a repository',
  access: readsIssues,
  query: Type.Object({
    since,
    sort: withDefault(OneOf(['created', 'updated']), 'created'),
    direction: withDefault(OneOf(['asc', 'desc']), 'asc'),
  }),
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(IssueComment) },
  async handle({ scope, db, at, query: { since: from, sort, direction }, page }) {
    checkHasIssues(at.repo);
    const found = await listCommentsOfRepository(db, at.repo, { since: dateOf(from), order: { sort, direction } }, page);
    return mapRows(found, (rows) => presentComments(scope, rows));
  },
});

export const createComment = endpoint({
  id: 'issues/create-comment',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
  resources: [issue],
  summary: 'Create an issue comment',
  access: interactsWithIssuesOrPulls,
  body: NewComment,
  example: { body: 'It does so here as well.' },
  media: textMedia,
  replies: { 201: IssueComment },
  async handle({ scope, change, body, action, links }) {
    const row = await change((scope, { issue }) => commentOn(scope, { ...action, html: links.html }, issue, body.body));
    return presentComment(scope, row);
  },
});

export const getIssueComment = endpoint({
  id: 'issues/get-comment',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
  resources: [comment],
  summary: 'Get an issue comment',
  access: readsIssuesOrPulls,
  media: textMedia,
  replies: { 200: IssueComment },
  async handle({ scope, at }) {
    return presentComment(scope, at.comment);
  },
});

export const updateIssueComment = endpoint({
  id: 'issues/update-comment',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
  resources: [comment],
  summary: 'Update an issue comment',
  access: writesIssuesOrPulls,
  body: NewComment,
  example: { body: 'It does so here, too.' },
  media: textMedia,
  replies: { 200: IssueComment },
  async handle({ scope, change, body, action, links }) {
    const row = await change((scope, { comment }) => changeComment(scope, { ...action, html: links.html }, comment, body.body));
    return presentComment(scope, row);
  },
});

export const deleteIssueComment = endpoint({
  id: 'issues/delete-comment',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}',
  resources: [comment],
  summary: 'Delete an issue comment',
  access: writesIssuesOrPulls,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { comment }) => deleteComment(scope, action, comment));
  },
});
