import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';

export const states = ['error', 'failure', 'pending', 'success'] as const;

/** A commit status from another system, in lists of the latest for each context. */
export const SimpleStatus = Type.Object({
  url: Type.String(),
  avatar_url: Nullable(Type.String()),
  id: Type.Integer(),
  node_id: Type.String(),
  state: OneOf(states),
  description: Nullable(Type.String()),
  target_url: Nullable(Type.String()),
  context: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type SimpleStatus = Static<typeof SimpleStatus>;

export const Status = Type.Object({ ...SimpleStatus.properties, creator: Nullable(User) });
export type Status = Static<typeof Status>;

/** The latest statuses of a commit, and their combined state. */
export const CombinedStatus = Type.Object({
  state: OneOf(['failure', 'pending', 'success']),
  statuses: Type.Array(SimpleStatus),
  sha: Type.String(),
  total_count: Type.Integer(),
  repository: MinimalRepository,
  commit_url: Type.String(),
  url: Type.String(),
});
export type CombinedStatus = Static<typeof CombinedStatus>;

export const NewStatus = Type.Object(
  {
    state: OneOf(states),
    target_url: Type.Optional(Nullable(Type.String({ maxLength: 2_048 }))),
    description: Type.Optional(Nullable(Type.String({ maxLength: 140 }))),
    context: withDefault(Type.String({ minLength: 1, maxLength: 255 }), 'default'),
  },
  { title: 'Status' },
);
export type NewStatus = Static<typeof NewStatus>;
