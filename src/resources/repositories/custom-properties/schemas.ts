import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf } from '#lib/shape.ts';
import { propertyLimits } from './limits.ts';

export const valueTypes = ['string', 'single_select', 'multi_select', 'true_false', 'url'] as const;
export const editors = ['org_actors', 'org_and_repo_actors'] as const;

const { properties, allowedPropertyValues, propertyRepositories } = propertyLimits;
export const maxProperties = fixedValue(properties);

/** One value, or the values of a `multi_select`. */
const Value = Type.Union([Type.String(), Type.Array(Type.String())]);

export const CustomProperty = Type.Object({
  property_name: Type.String(),
  url: Type.String(),
  source_type: OneOf(['organization']),
  value_type: OneOf(valueTypes),
  required: Type.Boolean(),
  default_value: Nullable(Value),
  description: Nullable(Type.String()),
  allowed_values: Nullable(Type.Array(Type.String())),
  values_editable_by: OneOf(editors),
  require_explicit_values: Type.Boolean(),
});
export type CustomProperty = Static<typeof CustomProperty>;

/** The public API's rule: names have at most 75 ASCII letters, digits and `_-$#`. */
export const namePattern = '^[A-Za-z0-9_$#-]{1,75}$';
const name = Type.String({ minLength: 1, maxLength: 75, pattern: namePattern });

/** The public API's rule: at most 75 visible ASCII characters or spaces, without quotation marks. Addresses may be longer. */
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[ !#-~]+$' });
const maxText = 75;
const maxUrl = 1_024;
const maxValues = fixedValue(allowedPropertyValues);

const WantedValue = Nullable(Type.Union([text(maxUrl), Type.Array(text(maxText), { maxItems: maxValues })]));
export type WantedValue = Static<typeof WantedValue>;

/** Whether a value is short enough for types other than `url`. */
export const isShort = (value: string): boolean => value.length <= maxText;

export const PropertyDefinition = Type.Object(
  {
    value_type: OneOf(valueTypes),
    required: Type.Optional(Type.Boolean()),
    default_value: Type.Optional(WantedValue),
    description: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
    allowed_values: Type.Optional(Nullable(Type.Array(text(maxText), { maxItems: maxValues }))),
    values_editable_by: Type.Optional(Nullable(OneOf(editors))),
    require_explicit_values: Type.Optional(Type.Boolean()),
  },
  { title: 'CustomProperty' },
);

const NamedDefinition = Type.Object({ property_name: name, ...PropertyDefinition.properties });
export type NamedDefinition = Static<typeof NamedDefinition>;

export const PropertyDefinitions = Type.Object(
  { properties: Type.Array(NamedDefinition, { minItems: 1, maxItems: maxProperties }) },
  { title: 'CustomProperty' },
);

export const PropertyValue = Type.Object({ property_name: Type.String(), value: Nullable(Value) });
export type PropertyValue = Static<typeof PropertyValue>;

export const RepositoryProperties = Type.Object({
  repository_id: Type.Integer(),
  repository_name: Type.String(),
  repository_full_name: Type.String(),
  properties: Type.Array(PropertyValue),
});
export type RepositoryProperties = Static<typeof RepositoryProperties>;

const NamedValue = Type.Object({ property_name: Type.String({ maxLength: 255 }), value: WantedValue });
export type NamedValue = Static<typeof NamedValue>;

const values = Type.Array(NamedValue, { maxItems: maxProperties });

export const PropertyValues = Type.Object({ properties: values }, { title: 'CustomPropertyValue' });

export const OrganizationPropertyValues = Type.Object(
  {
    repository_names: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: fixedValue(propertyRepositories) }),
    properties: values,
  },
  { title: 'CustomPropertyValue' },
);
export type OrganizationPropertyValues = Static<typeof OrganizationPropertyValues>;

/** The values of a new repository, by property name. */
export const FirstValues = Type.Record(Type.String(), WantedValue, { maxProperties });
export type FirstValues = Static<typeof FirstValues>;

/** The values of a repository, by property name. */
export const ValuesByName = Type.Record(Type.String(), Value);
export type ValuesByName = Static<typeof ValuesByName>;
