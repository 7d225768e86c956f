import { expect, test } from 'vitest';
import { fresh } from '#test/support/world.ts';
import { heard, listening, parts } from './listening.ts';

const { here, owner, org, client, target } = await listening();

const named = (include: string[]) => ({
  ref_name: { include: ['~ALL'], exclude: [] },
  repository_name: { include, exclude: [] },
});

test('rulesets of a repository are told of', async () => {
  const engine = await here.repo(org, { by: owner });
  const path = `/repos/${org.login}/${engine.name}/rulesets`;
  await heard(here, target);
  const about = { ...parts(org, owner), repository: { name: engine.name } };
  const first = {
    name: fresh('ruleset'),
    enforcement: 'active',
    bypass_actors: [{ actor_type: 'OrganizationAdmin' }],
    conditions: { ref_name: { include: ['refs/heads/a'], exclude: [] } },
    rules: [{ type: 'deletion' }, { type: 'update' }],
  };
  const { body: made } = await client.post(path, first);
  const { bypass_actors: _, current_user_can_bypass: __, ...shown } = made;
  const links = { self: { href: expect.stringMatching(`${path}/${made.id}$`) }, html: { href: expect.any(String) } };
  expect(await heard(here, target)).toEqual({
    'repository_ruleset.created': expect.objectContaining({
      ...{ organization: expect.objectContaining(about.organization), repository: expect.objectContaining(about.repository) },
      repository_ruleset: { ...shown, _links: links },
    }),
  });

  const pattern = { operator: 'contains', pattern: 'x' };
  const rules = [
    { type: 'update', parameters: { update_allows_fetch_and_merge: true } },
    { type: 'commit_message_pattern', parameters: pattern },
  ];
  await client.put(`${path}/${made.id}`, {
    name: 'Renamed',
    enforcement: 'evaluate',
    conditions: { ref_name: { include: ['refs/heads/b'], exclude: [] } },
    rules,
  });
  const edited = (await heard(here, target))['repository_ruleset.edited'];
  expect(edited).toMatchObject({ ...about, repository_ruleset: { id: made.id, name: 'Renamed', rules } });
  expect(edited.changes).toEqual({
    name: { from: first.name },
    enforcement: { from: 'active' },
    conditions: {
      added: [],
      deleted: [],
      updated: [
        {
          condition: { ref_name: { include: ['refs/heads/b'], exclude: [] } },
          changes: { include: { from: ['refs/heads/a'] } },
        },
      ],
    },
    rules: {
      added: [rules[1]],
      deleted: [{ type: 'deletion' }],
      updated: [{ rule: rules[0], changes: { configuration: { from: '{}' } } }],
    },
  });

  await client.delete(`${path}/${made.id}`);
  expect(await heard(here, target)).toEqual({
    'repository_ruleset.deleted': expect.objectContaining({
      repository_ruleset: expect.objectContaining({ id: made.id, name: 'Renamed', source: `${org.login}/${engine.name}` }),
    }),
  });
});

test('rulesets of an organization are told of', async () => {
  const path = `/orgs/${org.login}/rulesets`;
  const wanted = { name: fresh('ruleset'), enforcement: 'active', conditions: named(['a']) };
  const { body: made } = await client.post(path, wanted);
  expect(await heard(here, target)).toMatchObject({
    'repository_ruleset.created': {
      ...parts(org, owner),
      repository_ruleset: { id: made.id, source: org.login, source_type: 'Organization', conditions: wanted.conditions },
    },
  });
  await client.put(`${path}/${made.id}`, { conditions: { repository_id: { repository_ids: [] } } });
  const { changes } = (await heard(here, target))['repository_ruleset.edited'];
  expect(changes).toEqual({
    conditions: {
      added: [{ repository_id: { repository_ids: [] } }],
      deleted: [{ ref_name: wanted.conditions.ref_name }, { repository_name: wanted.conditions.repository_name }],
      updated: [],
    },
  });
  await client.delete(`${path}/${made.id}`);
  expect(await heard(here, target)).toMatchObject({ 'repository_ruleset.deleted': { repository_ruleset: { id: made.id } } });
});
