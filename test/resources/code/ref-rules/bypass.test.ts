import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { ruleSetting } from './setting.ts';

const w = await world();
const byBob = (bob: { id: number }, bypass_mode: string) => ({
  bypass_actors: [{ actor_id: bob.id, actor_type: 'User', bypass_mode }],
});

test('who may always bypass a rule is told that it was broken, and it is recorded', async () => {
  const { api, client, base, bob, push, rule, bring, first, tip } = await ruleSetting(w);
  const id = await rule({ type: 'update' }, byBob(bob, 'always'));
  const change = await bring('change', { files: { a: '1' }, parents: [first] });
  expect(await push(`${change}:refs/heads/main`)).toBeUndefined();
  expect(await tip('main')).toBe(change);
  expect((await client.patch(`${base}/git/refs/heads/main`, { sha: first, force: true })).status).toBe(422);
  const { body: suites } = await client.get(`${base}/rulesets/rule-suites`);
  expect(suites).toMatchObject([
    { result: 'fail', actor_id: expect.not.toSatisfy((actor: number) => actor === bob.id), before_sha: change, after_sha: first },
    { result: 'bypass', actor_id: bob.id, actor_name: bob.login, ref: 'refs/heads/main', before_sha: first, after_sha: change },
  ]);
  expect(suites[0]).not.toHaveProperty('evaluation_result');
  const { body: suite } = await client.get(`${base}/rulesets/rule-suites/${suites[1].id}`);
  expect(suite).toMatchObject({
    evaluation_result: null,
    rule_evaluations: [
      {
        rule_source: { type: 'ruleset', id, name: 'Rules of update' },
        enforcement: 'active',
        result: 'fail',
        rule_type: 'update',
        details: 'Cannot update this protected ref.',
      },
    ],
  });
  expect((await client.get(`${base}/rulesets/rule-suites?rule_suite_result=bypass&ref=main`)).body).toHaveLength(1);
  expect((await client.get(`${base}/rulesets/rule-suites?actor_name=${bob.login}`)).body).toHaveLength(1);
  expect((await client.get(`${base}/rulesets/rule-suites?evaluate_status=evaluate`)).body).toEqual([]);
  expect((await api.get(`${base}/rulesets/rule-suites`)).status).toBe(404);
  await client.delete(`${base}/rulesets/${id}`);
  const { body: later } = await client.get(`${base}/rulesets/rule-suites/${suites[1].id}`);
  expect(later.rule_evaluations).toMatchObject([
    { rule_source: { id: null, name: 'Rules of update' }, enforcement: 'deleted ruleset' },
  ]);
});

test('who is exempt is not asked; who may bypass by pull requests does so by merging alone', async () => {
  const { api, client, base, bob, push, rule, bring, first, tip, open, tested } = await ruleSetting(w);
  const exempting = await rule({ type: 'update' }, byBob(bob, 'exempt'));
  const change = await bring('change', { files: { a: '1' }, parents: [first] });
  expect(await push(`${change}:refs/heads/main`)).toBeUndefined();
  expect((await client.get(`${base}/rulesets/rule-suites`)).body).toEqual([]);
  await client.put(`${base}/rulesets/${exempting}`, byBob(bob, 'pull_request'));
  const next = await bring('next', { files: { b: '1' }, parents: [change] });
  expect(await push(`${next}:refs/heads/main`)).toMatch(/Cannot update this protected ref/);
  const number = await open('next');
  expect(await tested(number)).toMatchObject({ mergeable: true, mergeable_state: 'blocked' });
  expect((await client.put(`${base}/pulls/${number}/merge`, {})).status).toBe(405);
  expect((await api.put(`${base}/pulls/${number}/merge`, {})).status).toBe(200);
  expect(await tip('main')).not.toBe(change);
});

test('rules that are tried out refuse nothing, and tell what they would', async () => {
  const { client, base, push, rule, bring, first } = await ruleSetting(w);
  await rule({ type: 'update' }, { enforcement: 'evaluate' });
  await rule({ type: 'non_fast_forward' });
  const change = await bring('change', { files: { a: '1' }, parents: [first] });
  expect(await push(`${change}:refs/heads/main`)).toBeUndefined();
  expect((await client.get(`${base}/rulesets/rule-suites?evaluate_status=evaluate`)).body).toMatchObject([
    { result: 'pass', evaluation_result: 'fail', after_sha: change },
  ]);
});

test('the rules that apply to a branch are listed with their rulesets, whether or not it exists', async () => {
  const { api, base, repo, owner, rule } = await ruleSetting(w);
  const id = await rule({ type: 'non_fast_forward' }, { conditions: { ref_name: { include: ['refs/heads/r*'], exclude: [] } } });
  await rule({ type: 'update' }, { enforcement: 'evaluate', conditions: { ref_name: { include: ['~ALL'], exclude: [] } } });
  expect((await api.get(`${base}/rules/branches/rc`)).body).toEqual([
    {
      type: 'non_fast_forward',
      ruleset_source_type: 'Repository',
      ruleset_source: `${owner.login}/${repo.name}`,
      ruleset_id: id,
    },
  ]);
  expect((await api.get(`${base}/rules/branches/main`)).body).toEqual([]);
});

test('a protected branch is renamed by administrators alone, and takes its protection along', async () => {
  const { api, client, base, push, first } = await ruleSetting(w);
  const protection = {
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
  };
  expect(await push('origin/main:refs/heads/stable')).toBeUndefined();
  expect((await client.put(`${base}/branches/stable/protection`, protection)).status).toBe(200);
  expect(await push(':stable')).toMatch(/Cannot delete this protected ref. \(deletion, protection of stable\)/);
  expect((await client.delete(`${base}/git/refs/heads/stable`)).status).toBe(422);
  const rename = { new_name: 'steady' };
  expect((await api.post(`${base}/branches/stable/rename`, rename)).status).toBe(403);
  expect((await client.post(`${base}/branches/stable/rename`, rename)).status).toBe(201);
  expect((await client.get(`${base}/git/ref/heads/steady`)).body.object.sha).toBe(first);
  expect((await client.delete(`${base}/git/refs/heads/steady`)).status).toBe(422);
});
