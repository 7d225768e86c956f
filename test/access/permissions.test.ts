import { expect, test } from 'vitest';
import {
  beyond,
  holds,
  includesAll,
  intersect,
  type Level,
  levelsHolding,
  levelsOf,
  type Permission,
  type PermissionSet,
  permissionNames,
  permissionScope,
} from '#access/permissions.ts';
import { alternatives } from '#access/policy.ts';
import { allEndpoints } from '#resources/all.ts';
import { matrix, permissionNamed } from '#test/conformance/matrix.ts';
import { documentedDescription } from '#test/support/public-schema.ts';
import { random as randomOf } from '#test/vocabulary/random.ts';
import { neutralPermission } from '#vocabulary/headers.ts';

test("the catalogue has every permission of the public API's apps, with the same levels", () => {
  const { properties } = documentedDescription.schemas['app-permissions'] as {
    properties: Record<string, { enum: string[] }>;
  };
  // Hearth has no enterprises.
  const theirs = Object.entries(properties).filter(([name]) => !name.startsWith('enterprise_'));
  expect(theirs.length).toBeGreaterThan(40);
  const levels = new Map<string, readonly string[]>(permissionNames.map((name) => [name, levelsOf(name)]));
  for (const [name, { enum: allowed }] of theirs) expect(levels.get(neutralPermission(name)), name).toEqual(allowed);
});

test("the catalogue has every category of the documents' matrix, for what it applies to", () => {
  for (const { permission, scope, access } of matrix) {
    const name = permissionNamed(permission, scope);
    expect(permissionScope(name), name).toBe(scope);
    expect(levelsOf(name), name).toContain(access);
  }
});

test('endpoints demand levels that the catalogue has', () => {
  for (const { id, access } of allEndpoints)
    for (const permission of alternatives(access.permission).flat()) {
      const [name, level] = permission.split(':') as [(typeof permissionNames)[number], Level];
      expect(levelsOf(name), `${id} demands ${permission}`).toContain(level);
    }
});

const order = ['read', 'write', 'admin'];
const atLeast = (held: Level | undefined, wanted: Level): boolean =>
  held !== undefined && order.indexOf(held) >= order.indexOf(wanted);

test('sets are compared name by name and level by level', () => {
  const random = randomOf(7);
  const names = permissionNames.slice(0, 5).concat('organization_custom_properties');
  const anySet = (): PermissionSet =>
    Object.fromEntries(
      names.filter(() => random(2) === 0).map((name) => [name, levelsOf(name)[random(levelsOf(name).length)] as Level]),
    );
  for (let i = 0; i < 2_000; i++) {
    const [a, b] = [anySet(), anySet()];
    const both = intersect(a, b);
    const { added, upgraded } = beyond(a, b);
    for (const name of names) {
      const wanted = a[name];
      if (wanted !== undefined && name !== 'metadata')
        expect(holds(b, `${name}:${wanted}` as Permission)).toBe(atLeast(b[name], wanted));
      for (const level of levelsOf(name))
        expect(atLeast(both[name], level)).toBe(atLeast(a[name], level) && atLeast(b[name], level));
      expect(added[name]).toBe(b[name] === undefined ? wanted : undefined);
      expect(upgraded[name]).toBe(
        wanted !== undefined && b[name] !== undefined && !atLeast(b[name], wanted) ? wanted : undefined,
      );
    }
    expect(includesAll(b, a)).toBe(names.every((name) => a[name] === undefined || atLeast(b[name], a[name])));
  }
});

test('a higher level holds a lower one in SQL too', () => {
  expect(levelsHolding('checks:write')).toEqual(['write', 'admin']);
  expect(levelsHolding('checks:read')).toEqual(order);
});
