import { type Static, Type } from 'typebox';
import { withDefault } from '#lib/shape.ts';

export const Autolink = Type.Object({
  id: Type.Integer(),
  key_prefix: Type.String(),
  url_template: Type.String(),
  is_alphanumeric: Type.Boolean(),
  updated_at: Type.String({ format: 'date-time' }),
});
export type Autolink = Static<typeof Autolink>;

export const NewAutolink = Type.Object(
  {
    key_prefix: Type.String({ minLength: 1, maxLength: 32 }),
    url_template: Type.String({ minLength: 1, maxLength: 2_048 }),
    is_alphanumeric: withDefault(Type.Boolean(), true),
  },
  { title: 'KeyLink' },
);
export type NewAutolink = Static<typeof NewAutolink>;
