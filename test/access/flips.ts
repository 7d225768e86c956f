import { type Permission, type PermissionName, permissionNames, permissionScope } from '#access/permissions.ts';
import { alternatives, type Policy } from '#access/policy.ts';
import { orgRoles, roles } from '#access/roles.ts';
import { everyCredential } from '#access/tokens.ts';

/** A declaration with one change. */
export type Flip = { readonly field: keyof Policy; readonly what: string; readonly policy: Policy };

/** A declaration without one of its fields. */
function without(policy: Policy, field: keyof Policy): Policy {
  const { [field]: _, ...rest } = policy;
  return rest as Policy; // callers never remove `permission`
}

const otherLevel = (permission: Permission): Permission =>
  (permission.endsWith(':read') ? permission.replace(/:read$/, ':write') : permission.replace(/:\w+$/, ':read')) as Permission;

/** The next permission of the same scope, at the same level. */
function otherName(permission: Permission): Permission {
  const [name, level] = permission.split(':') as [PermissionName, string];
  const all: readonly PermissionName[] = permissionNames.filter((other) => permissionScope(other) === permissionScope(name));
  return `${all[(all.indexOf(name) + 1) % all.length]}:${level === 'admin' ? 'write' : level}` as Permission;
}

function permissionFlips(policy: Policy): Flip[] {
  const { permission } = policy;
  const named = alternatives(permission).flat();
  const replaced = (one: Permission, by: Permission): Policy => {
    const change = (many: readonly Permission[]) => many.map((each) => (each === one ? by : each));
    if (typeof permission === 'string') return { ...policy, permission: by };
    if ('anyOf' in permission) return { ...policy, permission: { anyOf: change(permission.anyOf) } };
    return 'allOf' in permission ? { ...policy, permission: { allOf: change(permission.allOf) } } : policy;
  };
  return [
    ...named.flatMap((one): Flip[] => [
      { field: 'permission', what: `${one} at the other level`, policy: replaced(one, otherLevel(one)) },
      { field: 'permission', what: `another permission for ${one}`, policy: replaced(one, otherName(one)) },
    ]),
    named.length > 0
      ? { field: 'permission', what: 'no permission', policy: { ...policy, permission: { none: 'signed_in' } } }
      : { field: 'permission', what: 'a permission', policy: { ...policy, permission: 'contents:read' } },
  ];
}

function scopeFlips(policy: Policy): Flip[] {
  const { scopes, alsoScopes } = policy;
  const flips: Flip[] = (scopes ?? []).map((scope) => ({
    field: 'scopes',
    what: `another scope for ${scope}`,
    policy: { ...policy, scopes: (scopes ?? []).map((one) => (one === scope ? 'gist' : one)) },
  }));
  flips.push(
    scopes
      ? { field: 'scopes', what: 'no scopes', policy: without(policy, 'scopes') }
      : { field: 'scopes', what: 'a scope', policy: { ...policy, scopes: ['gist'] } },
  );
  flips.push(
    alsoScopes
      ? { field: 'alsoScopes', what: 'no further scopes', policy: without(policy, 'alsoScopes') }
      : { field: 'alsoScopes', what: 'a further scope', policy: { ...policy, alsoScopes: ['gist'] } },
  );
  return flips;
}

function tokenFlips(policy: Policy): Flip[] {
  const tokens = policy.credentials ?? everyCredential;
  return everyCredential.map((kind) =>
    tokens.includes(kind)
      ? {
          field: 'credentials',
          what: `without ${kind}`,
          policy: { ...policy, credentials: tokens.filter((one) => one !== kind) },
        }
      : { field: 'credentials', what: `with ${kind}`, policy: { ...policy, credentials: [...tokens, kind] } },
  );
}

function roleFlips(policy: Policy): Flip[] {
  const { role, orRole } = policy;
  const others = role === undefined ? [...roles, ...orgRoles] : [...roles, ...orgRoles].filter((one) => one !== role);
  return [
    ...others.map((other) => ({
      field: 'role' as const,
      what: `role ${other} for ${role ?? 'none'}`,
      policy: { ...policy, role: other },
    })),
    ...(role === undefined ? [] : [{ field: 'role' as const, what: `no role for ${role}`, policy: without(policy, 'role') }]),
    orRole === undefined
      ? { field: 'orRole' as const, what: 'with security managers', policy: { ...policy, orRole: 'security_manager' } }
      : { field: 'orRole' as const, what: 'without security managers', policy: without(policy, 'orRole') },
  ];
}

function toggles(policy: Policy): Flip[] {
  const switched = { public: true, archived: 'allowed', locked: 'allowed', interaction: true } as const;
  return Object.entries(switched).map(([name, value]) => {
    const field = name as keyof typeof switched;
    return policy[field] === undefined
      ? { field, what: `with ${field}`, policy: { ...policy, [field]: value } }
      : { field, what: `without ${field}`, policy: without(policy, field) };
  });
}

/** Declarations that differ from a given one in one respect: a permission, a scope, a kind of token, the role, or a switch. */
export const flipsOf = (policy: Policy): Flip[] => [
  ...permissionFlips(policy),
  ...scopeFlips(policy),
  ...tokenFlips(policy),
  ...roleFlips(policy),
  ...toggles(policy),
];
