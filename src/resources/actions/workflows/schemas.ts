import { type Static, Type } from 'typebox';
import { OneOf, Timestamp } from '#lib/shape.ts';

export const workflowStates = ['active', 'deleted', 'disabled_fork', 'disabled_inactivity', 'disabled_manually'] as const;

export const Workflow = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  path: Type.String(),
  state: OneOf(workflowStates),
  created_at: Timestamp,
  updated_at: Timestamp,
  url: Type.String(),
  html_url: Type.String(),
  badge_url: Type.String(),
  deleted_at: Type.Optional(Timestamp),
});
export type Workflow = Static<typeof Workflow>;
