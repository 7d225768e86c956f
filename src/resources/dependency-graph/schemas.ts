import { type Static, Type } from 'typebox';
import { Timestamp } from '#lib/shape.ts';

const SpdxPackage = Type.Object({
  SPDXID: Type.String(),
  name: Type.String(),
  versionInfo: Type.String(),
  downloadLocation: Type.String(),
  filesAnalyzed: Type.Boolean(),
  externalRefs: Type.Optional(
    Type.Array(Type.Object({ referenceCategory: Type.String(), referenceLocator: Type.String(), referenceType: Type.String() })),
  ),
});

/** A bill of materials: a document of SPDX 2.3. */
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
