import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { claimLimits } from './limits.ts';

const ClaimKeys = Type.Array(Type.String({ pattern: '^\\w+$', maxLength: 200 }), {
  minItems: 1,
  maxItems: fixedValue(claimLimits.claimKeys),
  uniqueItems: true,
});

export const OrganizationSubject = Type.Object({
  include_claim_keys: Type.Array(Type.String()),
  use_immutable_subject: Type.Boolean(),
});

export const OrganizationSubjectChange = Type.Object(
  { include_claim_keys: Type.Optional(ClaimKeys), use_immutable_subject: Type.Optional(Type.Boolean()) },
  { title: 'SubjectTemplate' },
);
export type OrganizationSubjectChange = Static<typeof OrganizationSubjectChange>;

export const RepositorySubject = Type.Object({
  use_default: Type.Boolean(),
  /** The effective claims; absent with the default template. */
  include_claim_keys: Type.Optional(Type.Array(Type.String())),
  use_immutable_subject: Type.Boolean(),
  /** The claim `repo` at the beginning of a subject. */
  sub_claim_prefix: Type.String(),
});
export type RepositorySubject = Static<typeof RepositorySubject>;

export const RepositorySubjectChange = Type.Object(
  {
    use_default: Type.Boolean(),
    include_claim_keys: Type.Optional(ClaimKeys),
    use_immutable_subject: Type.Optional(Type.Boolean()),
  },
  { title: 'SubjectTemplate' },
);
export type RepositorySubjectChange = Static<typeof RepositorySubjectChange>;

export const NothingSaid = Type.Object({}, { additionalProperties: false });

export const IncludedProperty = Type.Object({
  custom_property_name: Type.String(),
  inclusion_source: Type.Literal('organization'),
});
export type IncludedProperty = Static<typeof IncludedProperty>;

export const NewIncludedProperty = Type.Object(
  { custom_property_name: Type.String({ minLength: 1, maxLength: 75 }) },
  { title: 'IncludedProperty' },
);
