import { expect, test } from 'vitest';
import { authorize } from '#access/authorize.ts';
import { interactionGroups } from '#access/interaction-limits.ts';
import { permissionNames } from '#access/permissions.ts';
import type { Policy } from '#access/policy.ts';
import { scopes as everyScope } from '#access/scopes.ts';
import { everyCredential } from '#access/tokens.ts';
import type { Org, Repo, Viewer } from '#access/viewer.ts';
import { allEndpoints } from '#resources/all.ts';
import { random as randomOf } from '#test/vocabulary/random.ts';
import { namedPermissions, type Place, placeOf } from './cells.ts';
import { asServed } from './facts.ts';
import { type Facts, naive } from './naive.ts';
import { type Requirement, requirementOf } from './requirements.ts';

/** The number of decisions, and their seed. Use `HEARTH_TEST_CASES=1000000` for a long run. */
const cases = Number(process.env.HEARTH_TEST_CASES ?? 50_000);
const seed = Number(process.env.HEARTH_TEST_SEED ?? 7);

const kinds = ['none', 'app_jwt', 'client', ...everyCredential] as const;
const roles = { repo: ['read', 'triage', 'write', 'maintain', 'admin'], org: ['member', 'owner'] } as const;

type Random = (bound: number) => number;
const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)] as T;

/** The required values occur more often than by chance, so that permissions are held about half of the time. */
function factsFor(needs: Requirement, place: Place, random: Random): Facts {
  const kind = pick(kinds, random);
  const named = namedPermissions(needs).map((permission) => permission.split(':')[0] ?? '');
  const wanted = [...named, pick(permissionNames, random)].filter(() => random(3) > 0);
  const isFineGrained = kind === 'fine_grained_pat' || kind === 'app_user' || kind === 'installation';
  const scopes = [...(needs.scopes ?? []), ...(needs.alsoScopes ?? []), ...everyScope.filter(() => random(12) === 0)].filter(
    () => random(2) === 0,
  );
  const there = (of: keyof typeof roles) => ({
    role: kind === 'installation' || random(3) === 0 ? undefined : pick(roles[of], random),
    managesSecurity: kind !== 'installation' && random(4) === 0,
    reached: kind === 'session' || random(4) > 0,
  });
  return {
    kind,
    scopes: kind === 'classic_pat' || kind === 'oauth_app' ? scopes : [],
    permissions: isFineGrained ? Object.fromEntries(wanted.map((name) => [name, pick(['read', 'write', 'admin'], random)])) : {},
    siteAdmin: random(2) === 0,
    isRecent: random(2) === 0,
    ...(place.org ? { org: there('org') } : {}),
    ...(place.repo
      ? {
          repo: {
            ...there('repo'),
            visibility: pick(['public', 'internal', 'private'] as const, random),
            archived: random(4) === 0,
            locked: random(4) === 0,
            limit: pick([undefined, ...interactionGroups], random),
            standing: (['role', 'commit', 'age'] as const).filter(() => random(3) === 0),
          },
        }
      : {}),
  };
}

test('random decisions agree with a plain reading of the documents', () => {
  const random = randomOf(seed);
  const known = allEndpoints.map((endpoint) => ({ ...endpoint, needs: requirementOf(endpoint), place: placeOf(endpoint.path) }));
  const seen = new Map<string, number>();
  for (let i = 0; i < cases; i++) {
    const { access, method, id, needs, place } = pick(known, random);
    const write = method !== 'GET';
    const facts = factsFor(needs, place, random);
    const { viewer, target } = asServed(facts);
    const verdict = authorize(access, viewer, target, { write });
    const outcome = verdict.allowed ? 'allowed' : verdict.refusal;
    const expected = naive(needs, facts, write);
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    if (outcome !== expected) expect({ id, access, facts, outcome }).toEqual({ id, access, facts, outcome: expected });
  }
  for (const outcome of ['allowed', 'unauthenticated', 'forbidden', 'not_found'])
    expect(seen.get(outcome), outcome).toBeGreaterThan(cases / 50);
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
