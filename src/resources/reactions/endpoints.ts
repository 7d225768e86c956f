// Reactions are the same wherever they are given: what is reacted to has these three endpoints.
import { Type } from 'typebox';
import type { RepositoryAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { reply, type SharedCall } from '#endpoint/call.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing, OneOf } from '#lib/shape.ts';
import { presentReaction, presentReactions } from './present.ts';
import { type Reactable, react, takeBack } from './rules.ts';
import { type Content, contents, NewReaction, Reaction } from './schemas.ts';
import { listReactions, type ReactionRow, type Subject } from './store.ts';

type Reading<At> = SharedCall<{ at: At }>;
type Changing<At> = SharedCall<{ at: At; action: RepositoryAction }>;

type Reacted<At> = {
  subjectOf: (at: At) => Subject;
  /** What is reacted to, whose row is locked. Refuses callers who may not react to it. */
  reactable: (tx: Tx, action: RepositoryAction, at: At) => Promise<Reactable>;
};

/** The declarations of the endpoints, each to be completed by its id, path, summary and access. */
export const reactionEndpoints = <At>({ subjectOf, reactable }: Reacted<At>) =>
  ({
    list: {
      method: 'GET',
      query: Type.Object({ content: Type.Optional(OneOf(contents)) }),
      paging: pages(),
      replies: { 200: Type.Array(Reaction) },
      async handle({ db, at, query, page, links }: Reading<At> & { query: { content?: Content } }) {
        const found = await listReactions(db, subjectOf(at), query.content, page);
        return mapRows(found, (rows) => presentReactions({ db, links }, rows));
      },
    },
    create: {
      method: 'POST',
      body: NewReaction,
      example: { content: 'heart' },
      replies: { 200: Reaction, 201: Reaction },
      async handle({ db, change, body, action, links }: Changing<At> & { body: { content: Content } }) {
        const { row, isNew } = await change(async (tx, at) => react(tx, action, await reactable(tx, action, at), body.content));
        const shown = await presentReaction({ db, links }, row);
        return isNew ? reply(201, shown) : reply(200, shown);
      },
    },
    delete: {
      method: 'DELETE',
      replies: { 204: Nothing },
      async handle({ change, action }: Changing<At & { reaction: ReactionRow }>) {
        await change(async (tx, at) => takeBack(tx, action, await reactable(tx, action, at), at.reaction));
      },
    },
  }) as const;
