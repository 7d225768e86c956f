// Reactions have the same three endpoints for every kind of subject.
import { Type } from 'typebox';
import type { RepositoryAction } from '#access/action.ts';
import { mapRows } from '#database/list.ts';
import { reply, type SharedCall } from '#endpoint/call.ts';
import { pages } from '#endpoint/paging.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { Nothing, OneOf } from '#lib/shape.ts';
import { presentReaction, presentReactions } from './present.ts';
import { createReaction, deleteReaction, type Reactable } from './rules.ts';
import { type Content, contents, NewReaction, Reaction } from './schemas.ts';
import { listReactions, type ReactionRow, type Subject } from './store.ts';

type ReadCall<At> = SharedCall<{ at: At }>;
type ChangeCall<At> = SharedCall<{ at: At; action: RepositoryAction }>;

type ReactionTarget<At> = {
  subjectOf: (at: At) => Subject;
  /** The subject, its row locked. Refuses callers who may not react to it. */
  reactable: (scope: WriteScope, action: RepositoryAction, at: At) => Promise<Reactable>;
};

/** The declarations of the endpoints, each to be completed by its id, path, summary and access. */
export const reactionEndpoints = <At>({ subjectOf, reactable }: ReactionTarget<At>) =>
  ({
    list: {
      method: 'GET',
      query: Type.Object({ content: Type.Optional(OneOf(contents)) }),
      paging: pages(),
      replies: { 200: Type.Array(Reaction) },
      async handle({ scope, db, at, query, page }: ReadCall<At> & { query: { content?: Content } }) {
        const found = await listReactions(db, subjectOf(at), query.content, page);
        return mapRows(found, (rows) => presentReactions(scope, rows));
      },
    },
    create: {
      method: 'POST',
      body: NewReaction,
      example: { content: 'heart' },
      replies: { 200: Reaction, 201: Reaction },
      async handle({ scope, change, body, action }: ChangeCall<At> & { body: { content: Content } }) {
        const { row, isNew } = await change(async (scope, at) =>
          createReaction(scope, action, await reactable(scope, action, at), body.content),
        );
        const presented = await presentReaction(scope, row);
        return isNew ? reply(201, presented) : reply(200, presented);
      },
    },
    delete: {
      method: 'DELETE',
      replies: { 204: Nothing },
      async handle({ change, action }: ChangeCall<At & { reaction: ReactionRow }>) {
        await change(async (scope, at) => deleteReaction(scope, action, await reactable(scope, action, at), at.reaction));
      },
    },
  }) as const;
