// The reasons of notifications (document 2).

/** Reasons that occur today. */
export const reasons = [
  'approval_requested',
  'assign',
  'author',
  'ci_activity',
  'comment',
  'invitation',
  'manual',
  'mention',
  'review_requested',
  'state_change',
  'subscribed',
  'team_mention',
] as const;

/** Reasons that the public API has in addition to document 2. */
const publicReasons = ['security_alert'] as const;

/** The other reasons, each with the feature that will cause it. */
export const laterReasons = {
  member_feature_requested: 'Requests of members for features of their organization',
} as const;

type LaterReason = keyof typeof laterReasons;
export type Reason = (typeof reasons)[number] | (typeof publicReasons)[number] | LaterReason;

/** All reasons. */
// the keys of the table above
export const everyReason: readonly Reason[] = [...reasons, ...publicReasons, ...(Object.keys(laterReasons) as LaterReason[])];
