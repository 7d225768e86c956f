import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';

/** The kinds of reactions (the public API's set). */
export const contents = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;
export type Content = (typeof contents)[number];

export const Reaction = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  user: Nullable(User),
  content: OneOf(contents),
  created_at: Timestamp,
});
export type Reaction = Static<typeof Reaction>;

/** The number of reactions of each kind. */
export const ReactionRollup = Type.Object({
  url: Type.String(),
  total_count: Type.Integer(),
  '+1': Type.Integer(),
  '-1': Type.Integer(),
  laugh: Type.Integer(),
  confused: Type.Integer(),
  heart: Type.Integer(),
  hooray: Type.Integer(),
  rocket: Type.Integer(),
  eyes: Type.Integer(),
});
export type ReactionRollup = Static<typeof ReactionRollup>;

export const NewReaction = Type.Object({ content: OneOf(contents) }, { title: 'Reaction' });
