// What the evaluator of refs asks of rulesets.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Role } from '#access/roles.ts';
import { roleLevel } from '#access/roles.ts';
import { countStatements } from '#database/client.ts';
import { asId } from '#lib/id.ts';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import {
  type ActorFacts,
  appliedRulesOf,
  bypassOf,
  loadRulesetsOf,
  matchesPattern,
  matchesRef,
} from '#resources/code/rulesets/index.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, db } = w;

const nobody: ActorFacts = {
  account: undefined,
  level: 0,
  isOwner: false,
  teams: new Set(),
  app: undefined,
  isDeployKey: false,
};

test('what is in force in a repository is loaded by one statement', async () => {
  const owner = await user();
  const acme = await org(owner);
  const [engine, other] = [await repo(acme, { by: owner }), await repo(acme, { by: owner })];
  const client = await as(owner);
  const make = async (base: string, enforcement: string, more: object) =>
    (await client.post(`${base}/rulesets`, { name: fresh('ruleset'), enforcement, ...more })).body.id;
  const rules = [{ type: 'deletion' }, { type: 'update' }];
  const bypass_actors = [{ actor_type: 'OrganizationAdmin', actor_id: 1, bypass_mode: 'always' }];
  const conditions = { repository_name: { include: [engine.name] } };
  const mine = `/repos/${acme.login}/${engine.name}`;
  const ids = [
    await make(mine, 'active', { rules, bypass_actors }),
    await make(mine, 'evaluate', {}),
    await make(`/orgs/${acme.login}`, 'active', { conditions, rules }),
  ];
  await make(mine, 'disabled', {});
  await make(`/orgs/${acme.login}`, 'disabled', { conditions });
  await make(`/orgs/${acme.login}`, 'active', { conditions: { repository_name: { include: [other.name] } } });
  await make(`/repos/${acme.login}/${other.name}`, 'active', {});

  const { result, statements } = await countStatements(() => loadRulesetsOf(db, engine));
  expect(statements).toHaveLength(1);
  expect(result.map(({ id }) => id)).toEqual(ids);
  expect(result[0]).toMatchObject({ rules, bypass_actors, repository_id: engine.id });
  const [first, second, third] = result;
  if (!first || !second || !third) throw new Error('Three rulesets are in force');
  const source = { type: 'Repository', id: ids[0], name: first.name };
  expect(appliedRulesOf(first, { ...nobody, isOwner: true })).toEqual(
    rules.map((rule) => ({ rule, source, enforcement: 'active', bypass: 'always' })),
  );
  expect(appliedRulesOf(second, nobody)).toEqual([]);
  expect(appliedRulesOf(third, nobody)[0]).toEqual({
    rule: rules[0],
    source: { type: 'Organization', id: ids[2], name: third.name },
    enforcement: 'active',
    bypass: 'never',
  });
  expect(appliedRulesOf({ ...first, enforcement: 'disabled' }, nobody)).toEqual([]);
  await db.updateTable('repositories').set({ owner_id: owner.id }).where('id', '=', engine.id).execute();
  expect((await loadRulesetsOf(db, { ...engine, owner_id: owner.id })).map(({ id }) => id)).toEqual(ids.slice(0, 2));
});

test('rulesets are found by the indexes of their owners', async () => {
  const owner = await user();
  const acme = await org(owner);
  await sql`
    with made as (
      insert into repositories (owner_id, name, created_at, updated_at)
      select ${acme.id}, 'many-' || n, now(), now() from generate_series(1, 200) n returning id)
    insert into rulesets (repository_id, name, target, enforcement, conditions, rules, created_at, updated_at)
    select made.id, 'n' || n, 'branch', 'active', '{}', '[]', now(), now() from made, generate_series(1, 30) n`.execute(db);
  await sql`analyze rulesets`.execute(db);
  const { statements } = await countStatements(() => loadRulesetsOf(db, { id: asId(0), owner_id: acme.id }));
  const [statement = ''] = statements;
  const plan = await sql<Record<string, string>>`explain (generic_plan) ${sql.raw(statement)}`.execute(db);
  const lines = plan.rows.flatMap((row) => Object.values(row)).join('\n');
  expect(lines).toContain('rulesets_repository');
  expect(lines).toContain('rulesets_organization');
  expect(lines).not.toContain('Seq Scan on rulesets');
});

const ref = (include: string[], exclude: string[] = []) => ({ ref_name: { include, exclude } });
const repository = { default_branch: 'main' };

test.each<['branch' | 'tag' | 'push', object, string, boolean]>([
  ['branch', ref(['~ALL']), 'refs/heads/a/b', true],
  ['branch', ref(['~ALL']), 'refs/tags/a', false],
  ['branch', ref(['~ALL']), 'refs/notes/a', false],
  ['tag', ref(['~ALL']), 'refs/tags/a', true],
  ['tag', ref(['~ALL']), 'refs/heads/a', false],
  ['branch', ref(['~DEFAULT_BRANCH']), 'refs/heads/main', true],
  ['branch', ref(['~DEFAULT_BRANCH']), 'refs/heads/mains', false],
  ['branch', ref(['~ALL'], ['~DEFAULT_BRANCH']), 'refs/heads/main', false],
  ['branch', ref(['~ALL'], ['refs/heads/main']), 'refs/heads/other', true],
  ['branch', ref(['refs/heads/a', 'refs/heads/b*']), 'refs/heads/bc', true],
  ['branch', ref(['refs/heads/a', 'refs/heads/b*'], ['refs/heads/?c']), 'refs/heads/bc', false],
  ['branch', ref(['refs/heads/*']), 'refs/heads/a/b', false],
  ['branch', ref(['refs/heads/**/*']), 'refs/heads/a/b', true],
  ['branch', ref([]), 'refs/heads/main', false],
  ['branch', {}, 'refs/heads/main', false],
  ['branch', { ref_name: {} }, 'refs/heads/main', false],
  ['tag', ref(['refs/tags/v[0-9]*']), 'refs/tags/v2', true],
  ['push', {}, 'refs/heads/main', true],
  ['push', {}, 'refs/tags/v1', true],
])('%s %j: %s', (target, conditions, name, expected) => {
  expect(matchesRef({ target, conditions }, name, repository, stepsOfWork())).toBe(expected);
});

const account = asId<'accounts'>(7);
const roleIds = { read: 1, maintain: 2, triage: 3, write: 4, admin: 5 } as const satisfies Record<Role, number>;
const actor = (
  actor_type: 'Integration' | 'OrganizationAdmin' | 'RepositoryRole' | 'Team' | 'DeployKey' | 'User',
  actor_id: number | null,
) => ({ actor_type, actor_id, bypass_mode: 'always' }) as const;

test.each(Object.entries(roleIds) as [Role, number][])('the role %s stands for all higher ones', (role, id) => {
  for (const held of Object.keys(roleIds) as Role[])
    expect(bypassOf({ bypass_actors: [actor('RepositoryRole', id)] }, { ...nobody, level: roleLevel(held) })).toBe(
      roleLevel(held) >= roleLevel(role) ? 'always' : 'never',
    );
  expect(bypassOf({ bypass_actors: [actor('RepositoryRole', id)] }, nobody)).toBe('never');
});

test('each actor is meant by its own kind alone', () => {
  const actors = {
    OrganizationAdmin: { row: actor('OrganizationAdmin', 1), facts: { isOwner: true } },
    User: { row: actor('User', 7), facts: { account } },
    Team: { row: actor('Team', 7), facts: { teams: new Set([asId<'teams'>(7)]) } },
    Integration: { row: actor('Integration', 7), facts: { app: asId<'apps'>(7) } },
    DeployKey: { row: actor('DeployKey', null), facts: { isDeployKey: true } },
  };
  for (const [name, { row }] of Object.entries(actors))
    for (const [other, { facts }] of Object.entries(actors))
      expect(bypassOf({ bypass_actors: [row] }, { ...nobody, ...facts }), `${name} ${other}`).toBe(
        name === other ? 'always' : 'never',
      );
  // A key is no account, whatever else is known of it.
  const key = { ...nobody, isDeployKey: true, account, level: 5, isOwner: true };
  for (const row of [actor('User', 7), actor('OrganizationAdmin', 1), actor('RepositoryRole', 1)])
    expect(bypassOf({ bypass_actors: [row] }, key)).toBe('never');
});

test('the strongest way counts', () => {
  const modes = ['pull_request', 'always', 'exempt'] as const;
  for (const a of modes)
    for (const b of modes) {
      const bypass_actors = [
        { ...actor('User', 7), bypass_mode: a },
        { ...actor('OrganizationAdmin', 1), bypass_mode: b },
        { ...actor('User', 8), bypass_mode: 'exempt' as const },
      ];
      const strongest = modes[Math.max(modes.indexOf(a), modes.indexOf(b))];
      expect(bypassOf({ bypass_actors }, { ...nobody, account, isOwner: true })).toBe(strongest);
    }
});

test.each<['starts_with' | 'ends_with' | 'contains' | 'regex', string, string[], string[]]>([
  ['starts_with', 'fix', ['fix: x', 'fix'], ['a fix', 'Fix']],
  ['ends_with', '@a.example', ['x@a.example'], ['x@a.example.org']],
  ['contains', '.*', ['a.*b'], ['ab']],
  ['regex', '^[A-Z]+-\\d+', ['AB-12 x'], ['x AB-12', 'ab-1']],
])('a text %s %s', (operator, pattern, matching, others) => {
  for (const negate of [undefined, false, true]) {
    const rule = { operator, pattern, ...(negate === undefined ? {} : { negate }) };
    expect(matching.map((text) => matchesPattern(rule, text))).toEqual(matching.map(() => negate !== true));
    expect(others.map((text) => matchesPattern(rule, text))).toEqual(others.map(() => negate === true));
  }
});
