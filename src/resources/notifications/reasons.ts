// Why somebody is told of something: the reasons of document 2.

/** Reasons whose causes happen today. */
export const reasons = [
  'assign',
  'author',
  'comment',
  'invitation',
  'manual',
  'mention',
  'state_change',
  'subscribed',
  'team_mention',
] as const;
export type Reason = (typeof reasons)[number];

/** The other reasons, each with what brings its cause. */
export const laterReasons = {
  approval_requested: 'Deployments that wait for an approval',
  ci_activity: 'Workflow runs',
  member_feature_requested: 'Requests of members for features of their organization',
  review_requested: 'Pull requests and their reviews',
} as const;
