import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { withDefault } from '#lib/shape.ts';

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
