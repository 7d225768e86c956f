import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';

/** A file or an archive that a job created. */
export const Artifact = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  size_in_bytes: Type.Integer(),
  url: Type.String(),
  archive_download_url: Type.String(),
  expired: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  expires_at: Timestamp,
  digest: Nullable(Type.String()),
  workflow_run: Type.Optional(
    Type.Object({
      id: Type.Integer(),
      repository_id: Type.Integer(),
      head_repository_id: Type.Optional(Type.Integer()),
      head_branch: Type.Optional(Type.String()),
      head_sha: Type.String(),
    }),
  ),
});
export type Artifact = Static<typeof Artifact>;

export const ArtifactFilter = Type.Object({ name: Type.Optional(Type.String({ maxLength: 1_024 })) });

export const ArtifactOfRunFilter = Type.Object({
  ...ArtifactFilter.properties,
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
});
