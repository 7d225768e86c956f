import { expect, test } from 'vitest';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const refused = (field: string) => ({ status: 422, body: { errors: [expect.objectContaining({ field, code: 'invalid' })] } });
const refusedText = (field: string) => ({ status: 422, body: { errors: [expect.stringMatching(`^${field}: `)] } });

test('fields and filters without an effect are refused, and change nothing', async () => {
  const { client, base, owner } = await pullSetting(w, { ownedBy: 'organization' });
  const org = `/orgs/${owner.login}`;
  await w.unchanged(['issues', 'billing_budgets', 'assistant_spaces', 'events'], async () => {
    expect(await client.post(`${base}/issues`, { title: 'Typed', type: 'bug' })).toMatchObject(refused('type'));
    expect(await client.post(`${org}/assistant-spaces`, { name: 'Engines', resources_attributes: [] })).toMatchObject(
      refused('resources_attributes'),
    );
  });
  const alerts = `${base}/dependency-bot/alerts`;
  expect(await client.get(`${alerts}?epss_percentage=1`)).toMatchObject(refusedText('epss_percentage'));
  expect(await client.get(`${org}/dependency-bot/alerts?runtime_risk=critical-resource`)).toMatchObject(
    refusedText('runtime_risk'),
  );
  expect(await client.get(`${base}/secret-scanning/alerts?owner_email_hash=1`)).toMatchObject(refused('owner_email_hash'));
  expect((await client.post(`${base}/issues`, { title: 'Untyped', type: null })).status).toBe(201);
});
