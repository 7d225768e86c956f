import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Integer32, Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';

export const dataTypes = ['text', 'date', 'single_select', 'multi_select', 'number'] as const;
export type DataType = (typeof dataTypes)[number];
export const visibilities = ['organization_members_only', 'all'] as const;
export const colors = ['gray', 'blue', 'green', 'yellow', 'orange', 'red', 'pink', 'purple'] as const;

/** The public API's limits for one organization and for one field. */
export const maxFields = 25;
export const maxOptions = 100;

const IssueFieldOption = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable(Type.String()),
  color: OneOf(colors),
  priority: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const IssueField = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  data_type: OneOf(dataTypes),
  visibility: OneOf(visibilities),
  options: Type.Optional(Type.Array(IssueFieldOption)),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type IssueField = Static<typeof IssueField>;

/** A text on one line with at least one visible character. */
const name = Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\p{Z}\\p{Cf}]*[^\\p{Z}\\p{Cf}\\p{Cc}]\\P{Cc}*$' });
const description = Type.Optional(Nullable(Type.String({ maxLength: 1_024 })));
const option = { name, description, color: OneOf(colors), priority: Integer32() };

export const NewIssueField = Type.Object(
  {
    name,
    description,
    data_type: OneOf(dataTypes),
    visibility: withDefault(OneOf(visibilities), 'organization_members_only'),
    options: Type.Optional(Nullable(Type.Array(Type.Object(option), { maxItems: maxOptions }))),
  },
  { title: 'IssueField' },
);
export type NewIssueField = Static<typeof NewIssueField>;

const ChangedOption = Type.Object({ id: Type.Optional(Type.Integer({ minimum: 1, maximum: maxId })), ...option });

export const IssueFieldChange = Type.Object(
  {
    name: Type.Optional(name),
    description,
    visibility: Type.Optional(OneOf(visibilities)),
    options: Type.Optional(Type.Array(ChangedOption, { maxItems: maxOptions })),
  },
  { title: 'IssueField' },
);
export type IssueFieldChange = Static<typeof IssueFieldChange>;

/** An option in a request. With an id, it changes or keeps that option. */
export type WantedOption = Static<typeof ChangedOption>;

const ChosenOption = Type.Object({ id: Type.Integer(), name: Type.String(), color: Type.String() });

export const IssueFieldValue = Type.Object({
  issue_field_id: Type.Integer(),
  issue_field_name: Type.String(),
  node_id: Type.String(),
  data_type: OneOf(dataTypes),
  /** The text, number or date, or the id of a single option; null for multiple options. */
  value: Nullable(Type.Union([Type.String(), Type.Number()])),
  single_select_option: Type.Optional(ChosenOption),
  multi_select_options: Type.Optional(Type.Array(ChosenOption)),
});
export type IssueFieldValue = Static<typeof IssueFieldValue>;

const maxText = 1_024;

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

/** The field values in a request about an issue. */
export const SomeValues = Type.Array(SomeValue, { maxItems: maxFields });
