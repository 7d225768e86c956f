// Comments on commits, and the reactions to them.
import { Type } from 'typebox';
import { readsContents, readsMetadata } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { commit } from '#resources/code/commits/index.ts';
import { textMedia } from '#resources/collaboration/issues/index.ts';
import { reactionEndpoints } from '#resources/collaboration/reactions/index.ts';
import { commitComment, commitCommentReaction } from './path-resources.ts';
import { presentComment, presentComments } from './present.ts';
import { reactable, subjectOf } from './reactions.ts';
import { changeComment, commentOnCommit, deleteComment } from './rules.ts';
import { CommitComment, CommitCommentChange, NewCommitComment } from './schemas.ts';
import { listOfCommit, listOfRepository } from './store.ts';

/** Every reader may comment. The documents know no permission for it; the public API demands that of writing contents. */
const writes = { scopes: ['repo'], role: 'read', permission: 'contents:write' } as const satisfies Policy;
const interacts = { ...writes, interaction: true } as const satisfies Policy;

export const listRepoCommitComments = endpoint({
  id: 'repos/list-commit-comments-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/comments',
  summary: 'List commit comments for a repository',
  access: readsMetadata,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(CommitComment) },
  async handle({ scope, db, at, page }) {
    const found = await listOfRepository(db, at.repo.id, page);
    return mapRows(found, (rows) => presentComments(scope, at.repo, rows));
  },
});

export const listCommentsOfCommit = endpoint({
  id: 'repos/list-comments-for-commit',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{commit_sha}/comments',
  resources: [commit],
  summary: 'List commit comments',
  access: readsContents,
  paging: pages(),
  media: textMedia,
  refuses: [409, 422],
  replies: { 200: Type.Array(CommitComment) },
  async handle({ scope, db, at, page }) {
    const found = await listOfCommit(db, at.repo.id, at.commit.oid, page);
    return mapRows(found, (rows) => presentComments(scope, at.repo, rows));
  },
});

export const createCommitComment = endpoint({
  id: 'repos/create-commit-comment',
  method: 'POST',
  path: '/repos/{owner}/{repo}/commits/{commit_sha}/comments',
  resources: [commit],
  summary: 'Create a commit comment',
  access: interacts,
  body: NewCommitComment,
  example: { body: 'This line leaks.', path: 'src/pump.ts', position: 4 },
  media: textMedia,
  refuses: [409, 422],
  replies: { 201: CommitComment },
  async handle({ scope, change, at, body, action, links }) {
    const row = await change((scope) => commentOnCommit(scope, { ...action, html: links.html }, at.commit.oid, body));
    return presentComment(scope, at.repo, row);
  },
});

export const getCommitComment = endpoint({
  id: 'repos/get-commit-comment',
  method: 'GET',
  path: '/repos/{owner}/{repo}/comments/{comment_id}',
  resources: [commitComment],
  summary: 'Get a commit comment',
  access: readsMetadata,
  media: textMedia,
  replies: { 200: CommitComment },
  async handle({ scope, at }) {
    return presentComment(scope, at.repo, at.comment);
  },
});

export const updateCommitComment = endpoint({
  id: 'repos/update-commit-comment',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/comments/{comment_id}',
  resources: [commitComment],
  summary: 'Update a commit comment',
  access: writes,
  body: CommitCommentChange,
  example: { body: 'This line leaks no more.' },
  media: textMedia,
  replies: { 200: CommitComment },
  async handle({ scope, change, at, body, action, links }) {
    const row = await change((scope, { comment }) => changeComment(scope, { ...action, html: links.html }, comment, body.body));
    return presentComment(scope, at.repo, row);
  },
});

export const deleteCommitComment = endpoint({
  id: 'repos/delete-commit-comment',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/comments/{comment_id}',
  resources: [commitComment],
  summary: 'Delete a commit comment',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { comment }) => deleteComment(scope, action, comment));
  },
});

const reactions = reactionEndpoints({ subjectOf, reactable });

export const listCommitCommentReactions = endpoint({
  ...reactions.list,
  id: 'reactions/list-for-commit-comment',
  path: '/repos/{owner}/{repo}/comments/{comment_id}/reactions',
  resources: [commitComment],
  summary: 'List reactions for a commit comment',
  access: readsMetadata,
});

export const createCommitCommentReaction = endpoint({
  ...reactions.create,
  id: 'reactions/create-for-commit-comment',
  path: '/repos/{owner}/{repo}/comments/{comment_id}/reactions',
  resources: [commitComment],
  summary: 'Create reaction for a commit comment',
  access: interacts,
});

export const deleteCommitCommentReaction = endpoint({
  ...reactions.delete,
  id: 'reactions/delete-for-commit-comment',
  path: '/repos/{owner}/{repo}/comments/{comment_id}/reactions/{reaction_id}',
  resources: [commitCommentReaction],
  summary: 'Delete a commit comment reaction',
  access: writes,
});
