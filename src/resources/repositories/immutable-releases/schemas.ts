import { type Static, Type } from 'typebox';
import { OneOf } from '#lib/shape.ts';
import { SelectedIds } from '#resources/repositories/repository-selections/index.ts';

/** The repositories for which an organization makes published releases immutable. */
const EnforcedRepositories = OneOf(['all', 'none', 'selected']);

export const ImmutableReleasesSettings = Type.Object({
  enforced_repositories: EnforcedRepositories,
  selected_repositories_url: Type.Optional(Type.String()),
});
export type ImmutableReleasesSettings = Static<typeof ImmutableReleasesSettings>;

export const ImmutableReleasesChange = Type.Object(
  { enforced_repositories: EnforcedRepositories, selected_repository_ids: Type.Optional(SelectedIds) },
  { title: 'ImmutableReleases' },
);
export type ImmutableReleasesChange = Static<typeof ImmutableReleasesChange>;

export const ImmutableReleases = Type.Object({ enabled: Type.Boolean(), enforced_by_owner: Type.Boolean() });
export type ImmutableReleases = Static<typeof ImmutableReleases>;
