import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable, OneOf } from '#lib/shape.ts';
import { dataTypes } from '#resources/issue-fields/index.ts';

const ChosenOption = Type.Object({ id: Type.Integer(), name: Type.String(), color: Type.String() });

export const IssueFieldValue = Type.Object({
  issue_field_id: Type.Integer(),
  issue_field_name: Type.String(),
  node_id: Type.String(),
  data_type: OneOf(dataTypes),
  /** The id of the option that is chosen; null where several may be. */
  value: Nullable(Type.Union([Type.String(), Type.Number()])),
  single_select_option: Type.Optional(ChosenOption),
  multi_select_options: Type.Optional(Type.Array(ChosenOption)),
});
export type IssueFieldValue = Static<typeof IssueFieldValue>;

export const maxText = 1_024;

const SomeValue = Type.Object(
  {
    field_id: Type.Integer({ minimum: 1, maximum: maxId }),
    value: Type.Union([
      Type.String({ maxLength: maxText }),
      Type.Number(),
      Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }),
    ]),
  },
  { additionalProperties: false },
);
export type SomeValue = Static<typeof SomeValue>;

export const SomeValues = Type.Object(
  { issue_field_values: Type.Optional(Type.Array(SomeValue, { maxItems: 25 })) },
  { title: 'IssueFieldValue' },
);
