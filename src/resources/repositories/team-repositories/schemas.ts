import { type Static, Type } from 'typebox';
import { permissionWords, roles } from '#access/roles.ts';
import { OneOf } from '#lib/shape.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';

/** A repository in a list, with a team's permissions: `permissions` and `role_name` are the team's, not the viewer's. */
export const RepositoryOfTeam = Type.Object({ ...MinimalRepository.properties, role_name: OneOf(roles) });
export type RepositoryOfTeam = Static<typeof RepositoryOfTeam>;

/** A repository outside of lists, with a team's permissions. */
export const TeamRepository = Type.Omit(RepositoryOfTeam, [
  'has_discussions',
  'has_pull_requests',
  'pull_request_creation_policy',
]);
export type TeamRepository = Static<typeof TeamRepository>;

/** Without a permission, a team gets its default permission. */
export const TeamRepositoryChange = Type.Object(
  { permission: Type.Optional(OneOf(permissionWords)) },
  { title: 'TeamRepository' },
);
