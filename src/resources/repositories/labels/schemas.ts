import { type Static, Type } from 'typebox';
import { Nullable } from '#lib/shape.ts';

export const Label = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  url: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  color: Type.String(),
  default: Type.Boolean(),
  // Labels can't be archived here.
  archived_at: Type.Null(),
  archived_by: Type.Null(),
});
export type Label = Static<typeof Label>;

const name = Type.String({ minLength: 1, maxLength: 50 });
/** Six hexadecimal digits. A leading `#` is accepted and not stored. */
const color = Type.String({ pattern: '^#?[0-9a-fA-F]{6}$' });
const description = Nullable(Type.String({ maxLength: 100 }));

export const NewLabel = Type.Object(
  { name, color: Type.Optional(color), description: Type.Optional(description) },
  { title: 'Label' },
);
export type NewLabel = Static<typeof NewLabel>;

/** `name` has the same meaning as `new_name`, which takes precedence. */
export const LabelChange = Type.Object(
  {
    name: Type.Optional(name),
    new_name: Type.Optional(name),
    color: Type.Optional(color),
    description: Type.Optional(description),
  },
  { title: 'Label' },
);
export type LabelChange = Static<typeof LabelChange>;
