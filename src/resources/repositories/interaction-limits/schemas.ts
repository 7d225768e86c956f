import { type Static, Type } from 'typebox';
import { interactionGroups } from '#access/interaction-limits.ts';
import { OneOf, Timestamp, withDefault } from '#lib/shape.ts';

/** The public API's limits. */
const most = Type.Integer({ minimum: 1, maximum: 1000 });

export const CreationCap = Type.Object({ enabled: Type.Boolean(), max_open_pull_requests: most });
export type CreationCap = Static<typeof CreationCap>;

export const CreationCapChange = Type.Object(
  { enabled: Type.Boolean(), max_open_pull_requests: Type.Optional(most) },
  { title: 'PullRequestCreationCap' },
);
export type CreationCapChange = Static<typeof CreationCapChange>;

/** Logins of users whom the cap doesn't apply to. */
export const BypassList = Type.Object(
  { users: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100 }) },
  { title: 'PullRequestCreationCapBypassList' },
);

/** The level at which a limit was set. */
export const InteractionLimit = Type.Object({
  limit: OneOf(interactionGroups),
  origin: OneOf(['repository', 'organization']),
  expires_at: Timestamp,
});
export type InteractionLimit = Static<typeof InteractionLimit>;

/** The reply if no limit is in force. */
export const NoLimit = Type.Object({}, { additionalProperties: false });

export const expiries = ['one_day', 'three_days', 'one_week', 'one_month', 'six_months'] as const;
export type Expiry = (typeof expiries)[number];

export const NewInteractionLimit = Type.Object(
  { limit: OneOf(interactionGroups), expiry: withDefault(OneOf(expiries), 'one_day') },
  { title: 'InteractionLimit' },
);
export type NewInteractionLimit = Static<typeof NewInteractionLimit>;
