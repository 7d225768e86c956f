import { type Static, Type } from 'typebox';
import { Nullable, Timestamp } from '#lib/shape.ts';

/** Whether an account watches a repository. */
export const RepositorySubscription = Type.Object({
  subscribed: Type.Boolean(),
  ignored: Type.Boolean(),
  reason: Nullable(Type.String()),
  created_at: Timestamp,
  url: Type.String(),
  repository_url: Type.String(),
});
export type RepositorySubscription = Static<typeof RepositorySubscription>;

export const WantedSubscription = Type.Object(
  { subscribed: Type.Optional(Type.Boolean()), ignored: Type.Optional(Type.Boolean()) },
  { title: 'Subscription' },
);
export type WantedSubscription = Static<typeof WantedSubscription>;
