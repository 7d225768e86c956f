// The used parts of the source server's replies. Other fields are ignored, and fields that old servers lack are optional.
import { type Static, Type } from 'typebox';
import { Nullable } from '#lib/shape.ts';

const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const number = Type.Integer({ minimum: 1, maximum: 2_147_483_646 });
const time = Type.String({
  pattern: String.raw`^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]\d\d:\d\d)$`,
});
const maybe = <S extends Parameters<typeof Nullable>[0]>(schema: S) => Type.Optional(Nullable(schema));

const Person = Type.Object({ login: Type.String() });
export type Person = Static<typeof Person>;

export const SourceRepository = Type.Object({
  id,
  name: Type.String(),
  full_name: Type.String({ pattern: '^[^/]+/[^/]+$' }),
  private: Type.Boolean(),
  description: maybe(Type.String()),
  homepage: maybe(Type.String()),
  has_issues: Type.Boolean(),
});
export type SourceRepository = Static<typeof SourceRepository>;

export const SourceLabel = Type.Object({
  name: Type.String({ minLength: 1 }),
  color: Type.String(),
  description: maybe(Type.String()),
  default: Type.Optional(Type.Boolean()),
});
export type SourceLabel = Static<typeof SourceLabel>;

export const SourceMilestone = Type.Object({
  number,
  title: Type.String(),
  description: maybe(Type.String()),
  state: Type.String(),
  creator: maybe(Person),
  due_on: maybe(time),
  closed_at: maybe(time),
  created_at: time,
  updated_at: time,
});
export type SourceMilestone = Static<typeof SourceMilestone>;

export const SourceIssue = Type.Object({
  id,
  number,
  title: Type.String(),
  body: maybe(Type.String()),
  user: maybe(Person),
  state: Type.String(),
  state_reason: maybe(Type.String()),
  locked: Type.Optional(Type.Boolean()),
  active_lock_reason: maybe(Type.String()),
  labels: Type.Array(SourceLabel),
  milestone: maybe(SourceMilestone),
  assignees: Type.Optional(Type.Array(Person)),
  closed_at: maybe(time),
  closed_by: maybe(Person),
  created_at: time,
  updated_at: time,
  comments: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
  pull_request: Type.Optional(Type.Unknown()),
});
export type SourceIssue = Static<typeof SourceIssue>;

export const SourceComment = Type.Object({
  id,
  issue_url: Type.String(),
  body: maybe(Type.String()),
  user: maybe(Person),
  created_at: time,
  updated_at: time,
});
export type SourceComment = Static<typeof SourceComment>;
