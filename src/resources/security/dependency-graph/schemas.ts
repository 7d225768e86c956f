import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { Integer32, Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { dependencyLimits } from './limits.ts';

const SpdxPackage = Type.Object({
  SPDXID: Type.String(),
  name: Type.String(),
  versionInfo: Type.String(),
  downloadLocation: Type.String(),
  filesAnalyzed: Type.Boolean(),
  licenseDeclared: Type.Optional(Type.String()),
  externalRefs: Type.Optional(
    Type.Array(Type.Object({ referenceCategory: Type.String(), referenceLocator: Type.String(), referenceType: Type.String() })),
  ),
});

/** A bill of materials: an SPDX 2.3 document. */
export const DependencySbom = Type.Object({
  sbom: Type.Object({
    SPDXID: Type.String(),
    spdxVersion: Type.String(),
    comment: Type.Optional(Type.String()),
    creationInfo: Type.Object({ created: Timestamp, creators: Type.Array(Type.String()) }),
    name: Type.String(),
    dataLicense: Type.String(),
    documentNamespace: Type.String(),
    packages: Type.Array(SpdxPackage),
    relationships: Type.Array(
      Type.Object({ relationshipType: Type.String(), spdxElementId: Type.String(), relatedSpdxElement: Type.String() }),
    ),
  }),
});
export type DependencySbom = Static<typeof DependencySbom>;

const Text = Type.String({ minLength: 1, maxLength: 1_000 });
const Address = Type.String({ maxLength: 2_048 });
// Metadata from builds. It is checked, but not stored.
const Metadata = Type.Record(Type.String(), Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])), {
  maxProperties: 8,
});

const Resolved = Type.Object(
  {
    package_url: Type.Optional(Type.String({ pattern: '^pkg', maxLength: 2_048 })),
    metadata: Type.Optional(Metadata),
    relationship: Type.Optional(OneOf(['direct', 'indirect'])),
    scope: Type.Optional(OneOf(['runtime', 'development'])),
    dependencies: Type.Optional(Type.Array(Type.String({ maxLength: 2_048 }), { maxItems: 10_000 })),
  },
  { additionalProperties: false },
);

const Manifest = Type.Object(
  {
    name: Text,
    file: Type.Optional(Type.Object({ source_location: Type.Optional(Text) }, { additionalProperties: false })),
    metadata: Type.Optional(Metadata),
    resolved: Type.Optional(Type.Record(Type.String(), Resolved, { maxProperties: fixedValue(dependencyLimits.ofFile) })),
  },
  { additionalProperties: false },
);

export const NewSnapshot = Type.Object(
  {
    version: Integer32(),
    job: Type.Object({ id: Text, correlator: Text, html_url: Type.Optional(Address) }, { additionalProperties: false }),
    sha: Type.String({ minLength: 40, maxLength: 64 }),
    ref: Type.String({ pattern: '^refs/', maxLength: 1_024 }),
    detector: Type.Object({ name: Text, version: Text, url: Address }, { additionalProperties: false }),
    metadata: Type.Optional(Metadata),
    manifests: Type.Optional(Type.Record(Type.String(), Manifest, { maxProperties: fixedValue(dependencyLimits.files) })),
    scanned: Type.String({ format: 'date-time', maxLength: 64 }),
  },
  { title: 'DependencySnapshot', additionalProperties: false },
);
export type NewSnapshot = Static<typeof NewSnapshot>;

export const DependencySnapshot = Type.Object({
  id: Type.Integer(),
  created_at: Timestamp,
  result: OneOf(['SUCCESS', 'ACCEPTED']),
  message: Type.String(),
});
