import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable, OneOf, withDefault } from '#lib/shape.ts';

const issueId = Type.Integer({ minimum: 1, maximum: maxId });

export const NewSubIssue = Type.Object(
  { sub_issue_id: issueId, replace_parent: withDefault(Type.Boolean(), false) },
  { title: 'SubIssue' },
);
export type NewSubIssue = Static<typeof NewSubIssue>;

export const FormerSubIssue = Type.Object({ sub_issue_id: issueId }, { title: 'SubIssue' });

export const SubIssuePosition = Type.Object(
  { sub_issue_id: issueId, after_id: Type.Optional(issueId), before_id: Type.Optional(issueId) },
  { title: 'SubIssue' },
);
export type SubIssuePosition = Static<typeof SubIssuePosition>;

export const NewDependency = Type.Object({ issue_id: issueId }, { title: 'IssueDependency' });

const relationKinds = ['parent', 'sub_issue', 'blocked_by', 'blocking', 'closed_by', 'closes', 'source'] as const;

/** Another issue or pull request that stands beside one on its page, or that an event in its timeline names. */
export const ShownRelation = Type.Object({
  kind: OneOf(relationKinds),
  /** The event that names it, for sources. */
  event_id: Nullable(Type.Integer()),
  number: Type.Integer(),
  title: Type.String(),
  state: OneOf(['open', 'closed']),
  is_pull_request: Type.Boolean(),
  is_draft: Type.Boolean(),
  is_merged: Type.Boolean(),
  repository: Type.String(),
  html_url: Type.String(),
});
export type ShownRelation = Static<typeof ShownRelation>;
