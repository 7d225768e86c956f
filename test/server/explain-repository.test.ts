import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { explainRepository } from '#server/explain-repository.ts';
import { repositoryRuleSetting } from '#test/resources/code/repository-rules/setting.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

type Asked = { owner: Account; name: string; by?: Account; visibility?: 'public' | 'private' };

async function explained({ owner, name, by, visibility = 'private' }: Asked) {
  const authorization = by && `Bearer ${await w.token(by)}`;
  const { services } = w.hearth;
  return explainRepository({ db: w.db, services, authorization, owner: owner.login, name, visibility, now: w.clock.now });
}

test('each rule about a repository is explained, with why its ruleset applies; nothing changes', async () => {
  const { ada, bob, acme, add, rule, suites } = await repositoryRuleSetting(w);
  const name = await add({ name: fresh('service-') });
  const conditions = { repository_name: { include: ['service-*'], protected: true } };
  await rule(
    [
      { type: 'repository_create' },
      { type: 'repository_name', parameters: { operator: 'starts_with', pattern: 'service-' } },
      { type: 'repository_visibility', parameters: { allowed_visibilities: ['internal'] } },
    ],
    { name: 'Services', conditions },
  );
  const bypass_actors = [{ actor_type: 'OrganizationAdmin', bypass_mode: 'always' }];
  await rule([{ type: 'repository_delete' }], { name: 'Kept', bypass_actors });
  const { body: repo } = await (await w.as(ada)).get(`/repos/${acme.login}/${name}`);
  const byId = { conditions: { repository_id: { repository_ids: [repo.id] } } };
  await rule([{ type: 'repository_transfer' }], { name: 'Tried', enforcement: 'evaluate', ...byId });
  await rule([{ type: 'repository_delete' }], { name: 'Others', conditions: { repository_name: { include: ['other'] } } });
  const steps = [
    { check: 'repository_name, ruleset "Services"', passed: true, because: 'kept (the ruleset applies by its name)' },
    {
      check: 'repository_visibility, ruleset "Services"',
      passed: false,
      because: 'Repositories must be internal, not public. (the ruleset applies by its name)',
    },
    {
      check: 'repository_name_protected, ruleset "Services"',
      passed: false,
      because: 'Renaming repositories is restricted. (the ruleset applies by its name)',
    },
    {
      check: 'repository_transfer, ruleset "Tried"',
      passed: true,
      because: 'Transferring repositories is restricted. It is tried out, and refuses nothing (the ruleset applies by its id)',
    },
  ];
  const deletion = { check: 'repository_delete, ruleset "Kept"', passed: false };
  const restricted = 'Deleting repositories is restricted.';
  expect(await explained({ owner: acme, name, by: bob })).toEqual({
    viewer: { login: bob.login, credential: 'classic_pat' },
    exists: true,
    steps: [...steps, { ...deletion, because: `${restricted} (the ruleset applies by its name)` }],
  });
  const forOwner = { ...deletion, passed: true, because: `${restricted} It may be bypassed (the ruleset applies by its name)` };
  expect((await explained({ owner: acme, name, by: ada })).steps).toEqual([...steps, forOwner]);
  expect(await suites()).toEqual([]);
});

test('the creation of a repository is explained where it does not exist', async () => {
  const { bob, acme, rule } = await repositoryRuleSetting(w);
  await rule([
    { type: 'repository_delete' },
    { type: 'repository_visibility', parameters: { allowed_visibilities: ['private'] } },
  ]);
  const name = fresh('new');
  const open = await explained({ owner: acme, name, by: bob, visibility: 'public' });
  expect(open).toMatchObject({ exists: false, steps: [{ passed: false }] });
  expect((await explained({ owner: acme, name, by: bob })).steps).toMatchObject([{ passed: true }]);
});

test('what the viewer may not see is not found, and repositories of users have no such rules', async () => {
  const { acme, add, rule } = await repositoryRuleSetting(w);
  const stranger = await w.user();
  const hidden = await add({ visibility: 'private' });
  await rule([{ type: 'repository_delete' }]);
  for (const by of [stranger, undefined]) {
    const found = await explained({ owner: acme, name: hidden, by });
    expect(found).toMatchObject({ status: 404, steps: [], message: 'Not Found' });
  }
  const own = await w.repo(stranger);
  expect(await explained({ owner: stranger, name: own.name, by: stranger })).toMatchObject({ exists: true, steps: [] });
  expect((await explained({ owner: stranger, name: fresh('new'), by: stranger })).status).toBe(404);
});
