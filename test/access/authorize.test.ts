import { expect, test } from 'vitest';
import { authorize, type Target } from '#access/authorize.ts';
import { interactionGroups } from '#access/interaction-limits.ts';
import { type PermissionSet, permissionNames } from '#access/permissions.ts';
import type { Policy } from '#access/policy.ts';
import { scopes as everyScope } from '#access/scopes.ts';
import { tokenKinds } from '#access/tokens.ts';
import type { Account, Grant, Org, Repo, Viewer } from '#access/viewer.ts';
import { allEndpoints } from '#resources/all.ts';
import { random as randomOf } from '#test/vocabulary/random.ts';
import { type Facts, naive } from './naive.ts';

const kinds = ['none', 'app_jwt', 'client', ...tokenKinds] as const;

type Random = (bound: number) => number;
const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)] as T;

/** What the policy names comes up more often than chance would have it, so that permissions are held as often as not. */
function factsFor(policy: Policy, place: Facts['place'], write: boolean, random: Random): Facts {
  const kind = pick(kinds, random);
  const named = JSON.stringify(policy.permission).match(/\w+(?=:(?:read|write|admin))/g) ?? [];
  const wanted = [...named, pick(permissionNames, random)].filter(() => random(3) > 0);
  const isFineGrained = kind === 'fine_grained_pat' || kind === 'app_user' || kind === 'installation';
  const reached = random(4) > 0;
  const levels = ['read', 'write', 'admin'] as const;
  const isReachedSet = isFineGrained && (place === 'nowhere' || reached);
  const scopes = [...(policy.scopes ?? []), ...(policy.alsoScopes ?? []), ...everyScope.filter(() => random(12) === 0)].filter(
    () => random(2) === 0,
  );
  const roles =
    place === 'organization' ? (['member', 'owner'] as const) : (['read', 'triage', 'write', 'maintain', 'admin'] as const);
  return {
    kind,
    scopes: kind === 'classic_pat' || kind === 'oauth_app' ? scopes : [],
    held: isReachedSet ? Object.fromEntries(wanted.map((name) => [name, pick(levels, random)])) : {},
    siteAdmin: random(2) === 0,
    write,
    place,
    visibility: place === 'repository' ? pick(['public', 'internal', 'private'], random) : 'public',
    archived: random(4) === 0,
    locked: random(4) === 0,
    role: kind === 'installation' || place === 'nowhere' || random(3) === 0 ? undefined : pick(roles, random),
    reached,
    limit: pick([undefined, ...interactionGroups], random),
    standing: (['role', 'commit', 'age'] as const).filter(() => random(3) === 0),
  };
}

/** The same facts as the server holds them. */
function asServed({ kind, scopes, held, siteAdmin, place, visibility, archived, locked, role, reached, ...limited }: Facts): {
  viewer: Viewer;
  target: Target;
} {
  const grant = { kind, scopes, permissions: place === 'nowhere' ? held : {} } as unknown as Grant; // what judge reads of a grant
  const account = { site_admin: siteAdmin } as Account;
  const { limit: group, standing } = limited;
  const speaks = {
    hasRole: standing.includes('role'),
    hasCommits: standing.includes('commit'),
    isNew: !standing.includes('age'),
  };
  const inForce = group && { group, expiresAt: new Date() };
  const interaction = { inForce, ...(inForce ? { limit: { ...inForce, ...speaks } } : {}) };
  const found = { visibility, archived, locked_by: locked ? 1 : null, role, reached, held: held as PermissionSet, interaction };
  const target: Target =
    place === 'repository'
      ? { repo: found as unknown as Repo }
      : place === 'organization'
        ? { org: found as unknown as Org }
        : {};
  return { viewer: kind === 'none' || kind === 'app_jwt' || kind === 'client' ? { grant } : { grant, account }, target };
}

test('a million decisions agree with a plain reading of the documents', () => {
  const random = randomOf(7);
  const seen = new Map<string, number>();
  for (let i = 0; i < 1_000_000; i++) {
    const { access, path, method, id } = pick(allEndpoints, random);
    const place = path.includes('repo}') ? 'repository' : path.includes('{org}') ? 'organization' : 'nowhere';
    const facts = factsFor(access, place, method !== 'GET', random);
    const { viewer, target } = asServed(facts);
    const verdict = authorize(access, viewer, target, { write: facts.write });
    const outcome = verdict.allowed ? 'allowed' : verdict.refusal;
    const expected = naive(access, facts);
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    if (outcome !== expected) expect({ id, access, facts, outcome }).toEqual({ id, access, facts, outcome: expected });
  }
  for (const outcome of ['allowed', 'unauthenticated', 'forbidden', 'not_found'])
    expect(seen.get(outcome), outcome).toBeGreaterThan(50_000);
});

test('where a path names an organization and a repository, each permission counts in the one that it is of', () => {
  const policy: Policy = { permission: { allOf: ['members:write', 'administration:read'] }, role: 'owner' };
  const viewer = { grant: { kind: 'fine_grained_pat', permissions: {} }, account: {} } as unknown as Viewer;
  const outcome = (inOrg: object, inRepo: object): boolean => {
    const org = { reached: true, held: { members: 'write' }, role: 'owner', ...inOrg } as unknown as Org;
    const held = { administration: 'read' };
    const repo = { visibility: 'private', locked_by: null, reached: true, role: 'read', held, ...inRepo } as unknown as Repo;
    return authorize(policy, viewer, { org, repo }, { write: true }).allowed;
  };
  expect(outcome({}, {})).toBe(true);
  expect(outcome({ held: {} }, { held: { members: 'write', administration: 'read' } })).toBe(false);
  expect(outcome({ held: { members: 'write', administration: 'read' } }, { held: {} })).toBe(false);
  expect(outcome({ reached: false }, {})).toBe(false);
  expect(outcome({}, { reached: false })).toBe(false);
  expect(outcome({ role: 'member' }, { role: 'admin' })).toBe(false);
});

test('an interaction is refused, by a fault, where nobody has looked for its limit', () => {
  const policy: Policy = { permission: 'issues:write', interaction: true };
  const viewer = { grant: { kind: 'classic_pat', scopes: ['repo'] }, account: {} } as unknown as Viewer;
  const repo = { visibility: 'public', locked_by: null, reached: true, role: 'admin', held: {} } as unknown as Repo;
  expect(() => authorize(policy, viewer, { repo }, { write: true })).toThrow('was not looked up');
  expect(() => authorize(policy, viewer, {}, { write: true })).toThrow('was not looked up');
  const inForce = { group: 'existing_users', expiresAt: new Date() } as const;
  const unknown = { ...repo, interaction: { inForce } };
  expect(() => authorize(policy, viewer, { repo: unknown }, { write: true })).toThrow('was not looked up');
  expect(authorize(policy, viewer, { repo: { ...repo, interaction: { inForce: undefined } } }, { write: true }).allowed).toBe(
    true,
  );
});
