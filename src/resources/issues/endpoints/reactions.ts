// Reactions to issues and to their comments.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing, OneOf } from '#lib/shape.ts';
import {
  contents,
  listReactions,
  NewReaction,
  presentReaction,
  presentReactions,
  Reaction,
  react,
  takeBack,
} from '#resources/reactions/index.ts';
import { getComment } from '../comments.ts';
import { holdCommentToReact, holdIssueToReact } from '../reactions.ts';
import { getIssue } from '../rules.ts';
import { readsEither, writesEither } from './access.ts';

const query = Type.Object({ content: Type.Optional(OneOf(contents)) });
const example = { content: 'heart' } as const;

export const listIssueReactions = endpoint({
  id: 'reactions/list-for-issue',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
  summary: 'List reactions for an issue',
  access: readsEither,
  query,
  paging: pages(),
  replies: { 200: Type.Array(Reaction) },
  async handle({ db, at, query: { content }, page, links }) {
    const issue = await getIssue(db, at.repo, at.issue_number);
    return mapRows(await listReactions(db, { issue: issue.id }, content, page), (rows) => presentReactions({ db, links }, rows));
  },
});

export const createIssueReaction = endpoint({
  id: 'reactions/create-for-issue',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
  summary: 'Create reaction for an issue',
  access: writesEither,
  body: NewReaction,
  example,
  replies: { 200: Reaction, 201: Reaction },
  async handle({ db, change, at, body, step, links, reply }) {
    const { row, isNew } = await change(async (tx) => {
      return react(tx, { ...step, held: await holdIssueToReact(tx, step, at.issue_number), content: body.content });
    });
    const shown = await presentReaction({ db, links }, row);
    return isNew ? reply(201, shown) : reply(200, shown);
  },
});

export const deleteIssueReaction = endpoint({
  id: 'reactions/delete-for-issue',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}',
  summary: 'Delete an issue reaction',
  access: writesEither,
  replies: { 204: Nothing },
  async handle({ change, at, step }) {
    await change(async (tx) => {
      await takeBack(tx, { ...step, held: await holdIssueToReact(tx, step, at.issue_number), id: at.reaction_id });
    });
  },
});

export const listCommentReactions = endpoint({
  id: 'reactions/list-for-issue-comment',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  summary: 'List reactions for an issue comment',
  access: readsEither,
  query,
  paging: pages(),
  replies: { 200: Type.Array(Reaction) },
  async handle({ db, at, query: { content }, page, links }) {
    const { id: comment } = await getComment(db, { repo: at.repo, id: at.comment_id });
    return mapRows(await listReactions(db, { comment }, content, page), (rows) => presentReactions({ db, links }, rows));
  },
});

export const createCommentReaction = endpoint({
  id: 'reactions/create-for-issue-comment',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  summary: 'Create reaction for an issue comment',
  access: writesEither,
  body: NewReaction,
  example,
  replies: { 200: Reaction, 201: Reaction },
  async handle({ db, change, at, body, step, links, reply }) {
    const { row, isNew } = await change(async (tx) => {
      return react(tx, { ...step, held: await holdCommentToReact(tx, step, at.comment_id), content: body.content });
    });
    const shown = await presentReaction({ db, links }, row);
    return isNew ? reply(201, shown) : reply(200, shown);
  },
});

export const deleteCommentReaction = endpoint({
  id: 'reactions/delete-for-issue-comment',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}',
  summary: 'Delete an issue comment reaction',
  access: writesEither,
  replies: { 204: Nothing },
  async handle({ change, at, step }) {
    await change(async (tx) => {
      await takeBack(tx, { ...step, held: await holdCommentToReact(tx, step, at.comment_id), id: at.reaction_id });
    });
  },
});
