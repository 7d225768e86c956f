import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';

const states = ['pending', 'exporting', 'exported', 'failed'] as const;

/** Fields that a reply can omit. */
export const excludable = ['repositories'] as const;

export const Migration = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  owner: Nullable(User),
  guid: Type.String(),
  state: OneOf(states),
  lock_repositories: Type.Boolean(),
  exclude_metadata: Type.Boolean(),
  exclude_git_data: Type.Boolean(),
  exclude_attachments: Type.Boolean(),
  exclude_releases: Type.Boolean(),
  exclude_owner_projects: Type.Boolean(),
  org_metadata_only: Type.Boolean(),
  repositories: Type.Array(MinimalRepository),
  url: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  archive_url: Type.Optional(Type.String()),
  exclude: Type.Array(Type.String()),
});
export type Migration = Static<typeof Migration>;

const flag = withDefault(Type.Boolean(), false);

export const NewMigration = Type.Object(
  {
    repositories: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1_000 }),
    lock_repositories: flag,
    exclude_metadata: flag,
    exclude_git_data: flag,
    exclude_attachments: flag,
    exclude_releases: flag,
    exclude_owner_projects: flag,
    org_metadata_only: flag,
    exclude: withDefault(Type.Array(OneOf(excludable), { maxItems: 10 }), []),
  },
  { title: 'Migration' },
);
export type NewMigration = Static<typeof NewMigration>;

export const MigrationQuery = Type.Object({
  exclude: Type.Optional(Type.Array(OneOf(excludable), { maxItems: 10 })),
});
