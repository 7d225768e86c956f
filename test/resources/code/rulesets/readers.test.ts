// What readers of a repository are told of the rulesets of its organization.
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();

test.each([
  { repository_name: { include: ['engine', 'hidden-*'], exclude: ['hidden-too'] } },
  { repository_property: { include: [], exclude: [{ name: 'hidden', property_values: ['yes'] }] } },
])('readers are not told for which repositories a ruleset is: %j', async (condition) => {
  const owner = await w.user();
  const org = await w.org(owner);
  await w.repo(org, { name: 'engine', by: owner });
  const asOwner = await w.as(owner);
  await asOwner.put(`/orgs/${org.login}/properties/schema/hidden`, { value_type: 'string' });
  const conditions = { ref_name: { include: ['~ALL'], exclude: [] }, ...condition };
  const wanted = { name: 'Kept', target: 'branch', enforcement: 'active', conditions, rules: [{ type: 'deletion' }] };
  const { status, body } = await asOwner.post(`/orgs/${org.login}/rulesets`, wanted);
  expect(status).toBe(201);

  const path = `/repos/${org.login}/engine/rulesets/${body.id}`;
  expect((await asOwner.get(path)).body.conditions).toMatchObject(condition);
  const others = [undefined, await w.user(), await w.fineGrained(owner, org, { metadata: 'read' })];
  for (const who of others) {
    const seen = await (await w.as(who)).get(path);
    expect(seen.body.conditions).toEqual({ ref_name: conditions.ref_name });
    expect(seen.text).not.toContain('hidden');
  }
});
