import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { forbidden } from '#lib/refusal.ts';
import type { Content } from './schemas.ts';
import { findReaction, insertReaction, type ReactionRow, removeReaction, type Subject } from './store.ts';

/** The subject of a reaction, its row locked, and its issue, if it has one. `count` updates a reaction's count on the row. */
export type Reactable = {
  subject: Subject;
  issue?: Id<'issues'>;
  count: (content: Content, by: 1 | -1) => Promise<unknown>;
};

/** Adds a reaction. If the user already has the same reaction, it is returned. */
export async function createReaction(
  scope: WriteScope,
  action: RepositoryAction,
  { subject, issue, count }: Reactable,
  content: Content,
): Promise<{ row: ReactionRow; isNew: boolean }> {
  const { by, now } = action;
  const key = { subject, user: by.account.id, content };
  const found = await findReaction(scope.tx, key);
  if (found) return { row: found, isNew: false };
  const [row] = await Promise.all([insertReaction(scope.tx, key, now), count(content, 1)]);
  const data = { ...subject, ...defined({ issue }), content };
  await record(scope.tx, { ...inRepository(action), kind: 'reaction.created', data });
  return { row, isNew: true };
}

/** Removes the caller's own reaction. */
export async function deleteReaction(
  scope: WriteScope,
  action: RepositoryAction,
  { subject, issue, count }: Reactable,
  reaction: ReactionRow,
): Promise<void> {
  if (reaction.user_id !== action.by.account.id) throw forbidden('Only who reacted may take a reaction back.');
  const { content } = reaction;
  await Promise.all([removeReaction(scope.tx, reaction), count(content, -1)]);
  const data = { ...subject, ...defined({ issue }), content };
  await record(scope.tx, { ...inRepository(action), kind: 'reaction.deleted', data });
}
