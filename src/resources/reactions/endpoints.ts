// Reactions are the same wherever they are given: what is reacted to has these three endpoints.
import { Type } from 'typebox';
import type { RepositoryAction } from '#access/action.ts';
import type { Db, Tx } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { reply, type SharedCall } from '#endpoint/call.ts';
import { pages } from '#endpoint/paging.ts';
import type { Id } from '#lib/id.ts';
import { Nothing, OneOf } from '#lib/shape.ts';
import { presentReaction, presentReactions } from './present.ts';
import { type Held, react, takeBack } from './rules.ts';
import { type Content, contents, NewReaction, Reaction } from './schemas.ts';
import { listReactions, type Subject } from './store.ts';

type Reading<At> = SharedCall<{ at: At }>;
type Changing<At> = SharedCall<{ at: At; action: RepositoryAction }>;

type Reacted<At> = {
  /** What the path names. */
  find: (db: Db, at: At) => Promise<Subject>;
  /** The same, its row locked, and refused where the caller may not react. */
  hold: (tx: Tx, action: RepositoryAction, at: At) => Promise<Held>;
};

/** The declarations of the endpoints, each to be completed by its id, path, summary and access. */
export const reactionEndpoints = <At>({ find, hold }: Reacted<At>) =>
  ({
    list: {
      method: 'GET',
      query: Type.Object({ content: Type.Optional(OneOf(contents)) }),
      paging: pages(),
      replies: { 200: Type.Array(Reaction) },
      async handle({ db, at, query, page, links }: Reading<At> & { query: { content?: Content } }) {
        const found = await listReactions(db, await find(db, at), query.content, page);
        return mapRows(found, (rows) => presentReactions({ db, links }, rows));
      },
    },
    create: {
      method: 'POST',
      body: NewReaction,
      example: { content: 'heart' },
      replies: { 200: Reaction, 201: Reaction },
      async handle({ db, change, at, body, action, links }: Changing<At> & { body: { content: Content } }) {
        const { row, isNew } = await change(async (tx) => react(tx, action, await hold(tx, action, at), body.content));
        const shown = await presentReaction({ db, links }, row);
        return isNew ? reply(201, shown) : reply(200, shown);
      },
    },
    delete: {
      method: 'DELETE',
      replies: { 204: Nothing },
      async handle({ change, at, action }: Changing<At & { reaction_id: Id<'reactions'> }>) {
        await change(async (tx) => takeBack(tx, action, await hold(tx, action, at), at.reaction_id));
      },
    },
  }) as const;
