import { type Static, Type } from 'typebox';
import {
  levelsOf,
  type PermissionName,
  type PermissionScope,
  type PermissionSet,
  permissionNames,
  permissionScope,
} from '#access/permissions.ts';
import { OneOf } from '#lib/shape.ts';

const setOf = (names: readonly PermissionName[]) =>
  Type.Unsafe<PermissionSet>(
    Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(OneOf(levelsOf(name)))])), {
      additionalProperties: false,
    }),
  );

const setOfScope = (wanted: PermissionScope) =>
  Type.Optional(setOf(permissionNames.filter((name) => permissionScope(name) === wanted)));

/** A permission set: names of the catalogue, each with one of its levels. Other names are refused. */
export const Permissions = setOf(permissionNames);

/** A permission set, grouped by what its permissions apply to. */
export const PermissionsByScope = Type.Object({
  organization: setOfScope('organization'),
  repository: setOfScope('repository'),
  other: setOfScope('account'),
});
export type PermissionsByScope = Static<typeof PermissionsByScope>;
