import { Type } from 'typebox';
import { levelsOf, type PermissionSet, permissionNames } from '#access/permissions.ts';
import { OneOf } from '#lib/shape.ts';

/** A permission set: names of the catalogue, each with one of its levels. Other names are refused. */
export const Permissions = Type.Unsafe<PermissionSet>(
  Type.Object(Object.fromEntries(permissionNames.map((name) => [name, Type.Optional(OneOf(levelsOf(name)))])), {
    additionalProperties: false,
  }),
);
