import { expect, test } from 'vitest';
import { explainPush } from '#server/explain-push.ts';
import { ruleSetting } from '#test/resources/code/ref-rules/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('a push is explained by access and by each rule, and moves nothing', async () => {
  const { bob, repo, owner, base, client, rule, bring, first, tip } = await ruleSetting(w);
  await bring('change', { files: { a: '1' }, parents: [first], message: 'Bad\n' });
  const rules = {
    bypass_actors: [{ actor_id: bob.id, actor_type: 'User', bypass_mode: 'always' }],
    name: 'Bypassed',
  };
  await rule({ type: 'update' });
  await rule({ type: 'non_fast_forward' }, rules);
  await rule(
    { type: 'commit_message_pattern', parameters: { operator: 'starts_with', pattern: 'Good' } },
    { enforcement: 'evaluate' },
  );
  const token = await w.token(bob);
  const ask = (ref: string, to?: string | null, authorization: string | undefined = `Bearer ${token}`) =>
    explainPush({
      db: w.db,
      services: w.hearth.services,
      authorization,
      owner: owner.login,
      name: repo.name,
      ref,
      to,
      now: w.clock.now,
    });
  const access = { check: 'access', passed: true, because: `${bob.login} may push to ${owner.login}/${repo.name}` };
  const update = { check: 'update, ruleset "Rules of update"', passed: false, because: 'Cannot update this protected ref.' };
  expect(await ask('main', 'change')).toEqual({
    viewer: { login: bob.login, credential: 'classic_pat' },
    allowed: false,
    message: 'rules refuse it',
    steps: [
      access,
      update,
      { check: 'non_fast_forward, ruleset "Bypassed"', passed: true, because: 'kept' },
      {
        check: 'commit_message_pattern, ruleset "Rules of commit_message_pattern"',
        passed: true,
        because: expect.stringMatching(
          /^Commit messages must start with "Good": [0-9a-f]{7} It is tried out, and refuses nothing$/,
        ),
      },
    ],
  });
  expect((await ask('main')).steps).toEqual([
    access,
    update,
    { check: 'non_fast_forward, ruleset "Bypassed"', passed: undefined, because: 'depends on the commits' },
    {
      check: 'commit_message_pattern, ruleset "Rules of commit_message_pattern"',
      passed: undefined,
      because: 'depends on the commits',
    },
  ]);
  expect(await ask('other', 'change')).toMatchObject({ allowed: true, steps: [access] });
  expect(await ask('main', null)).toMatchObject({ allowed: true, steps: [access] });
  expect(await ask('main', 'nothing')).toMatchObject({ allowed: false, status: 404 });
  expect(await ask('main', 'change', 'Bearer nobody')).toMatchObject({ allowed: false, status: 401, steps: [] });
  expect(await tip('main')).toBe(first);
  expect((await client.get(`${base}/rulesets/rule-suites`)).body).toEqual([]);
});

test('where no rule applies, access alone is told', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const asked = { db: w.db, services: w.hearth.services, owner: ada.login, name: repo.name, now: w.clock.now };
  const told = await explainPush({ ...asked, authorization: `Bearer ${await w.token(ada)}`, ref: 'main', to: undefined });
  expect(told).toMatchObject({ allowed: true, steps: [{ check: 'access', passed: true }] });
  expect(told.steps).toHaveLength(1);
});
