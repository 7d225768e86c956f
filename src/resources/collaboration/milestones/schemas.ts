import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';

export const states = ['open', 'closed'] as const;

export const Milestone = Type.Object({
  url: Type.String(),
  html_url: Type.String(),
  labels_url: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  number: Type.Integer(),
  state: OneOf(states),
  title: Type.String(),
  description: Nullable(Type.String()),
  creator: Nullable(User),
  open_issues: Type.Integer(),
  closed_issues: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: Nullable(Timestamp),
  due_on: Nullable(Timestamp),
});
export type Milestone = Static<typeof Milestone>;

const fields = {
  state: Type.Optional(OneOf(states)),
  description: Type.Optional(Nullable(Type.String({ maxLength: 65_536 }))),
  due_on: Type.Optional(Nullable(Type.String({ format: 'date-time', maxLength: 64 }))),
};
const title = Type.String({ minLength: 1, maxLength: 255 });

export const NewMilestone = Type.Object({ title, ...fields }, { title: 'Milestone' });
export type NewMilestone = Static<typeof NewMilestone>;

export const MilestoneChange = Type.Object({ title: Type.Optional(title), ...fields }, { title: 'Milestone' });
export type MilestoneChange = Static<typeof MilestoneChange>;
