// What `hearth doctor` says of what was accepted and can't have an effect, or has failed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { advisories } from '#cli/doctor/advisories.ts';
import { budgets } from '#cli/doctor/budgets.ts';
import { securityConfigurations } from '#cli/doctor/configurations.ts';
import { migrations } from '#cli/doctor/migrations.ts';
import { webhooks } from '#cli/doctor/webhooks.ts';
import { explainConfiguration } from '#resources/code/code-security/index.ts';
import { exportMigration } from '#resources/platform/migrations/jobs.ts';
import { loadAdvisoryFiles } from '#resources/security/dependency-alerts/load.ts';
import { advisoryFolder, advisoryOf, writeAdvisory } from '#test/resources/security/dependency-alerts/setting.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { fresh, world } from '#test/support/world.ts';

const folder = await mkdtemp(join(tmpdir(), 'hearth-reasons-'));
const prices = join(folder, 'prices.json');
await writeFile(prices, JSON.stringify({ actions_self_hosted_linux: 2, actions_storage: 0 }));
atEndOfFile(() => rm(folder, { recursive: true }));
const here = await world({ prices });

test('alerts without a folder of advisories are a warning, as soon as a repository has them', async () => {
  const ada = await here.user();
  const repo = await here.repo(ada);
  const client = await here.as(ada);
  expect(await advisories(here)).toEqual({
    check: 'advisories',
    ok: true,
    detail:
      "no repository has vulnerability alerts, and only advisories of this server's own repositories raise them: " +
      'set HEARTH_ADVISORIES',
  });
  await client.put(`/repos/${ada.login}/${repo.name}/vulnerability-alerts`);
  expect(await advisories(here)).toMatchObject({
    ok: true,
    warning: true,
    detail: expect.stringMatching(/^1 repository has vulnerability alerts, and only .*: set HEARTH_ADVISORIES$/),
  });
});

test('files of advisories that are left out are named with the reason, and a folder that is gone is wrong', async () => {
  const files = await advisoryFolder();
  const hearth = await here.another({ advisories: files });
  const there = { db: here.db, hearth };
  expect(await advisories(there)).toMatchObject({ ok: false, detail: expect.stringContaining('the folder is empty') });
  await writeAdvisory(files, advisoryOf('GHSA-2345-6789-cfgh', 'left', '1.2.0'));
  await writeFile(join(files, 'broken.json'), '{');
  await loadAdvisoryFiles.run({}, here.jobContext({ services: hearth.services }));
  const found = await advisories(there);
  expect(found).toMatchObject({ ok: true, warning: true });
  expect(found.detail).toMatch(/^2 files in .*; 1 file left out: broken\.json \(.+\)$/);
  await rm(files, { recursive: true });
  expect(await advisories(there)).toMatchObject({
    ok: false,
    detail: expect.stringContaining("the folder can't be read (ENOENT"),
  });
});

test('a repository that can’t have its security configuration is named with the reason', async () => {
  const owner = await here.user();
  const org = await here.org(owner);
  const repo = await here.repo(org, { by: owner });
  const client = await here.as(owner);
  expect(await securityConfigurations(here)).toMatchObject({ ok: true, detail: expect.not.stringContaining('failed') });
  expect(await explainConfiguration(here.db, repo.id)).toMatchObject({ steps: [{ because: 'the repository has none' }] });
  const at = `/orgs/${org.login}/code-security/configurations`;
  const wanted = { name: 'Push', description: 'x', secret_scanning: 'not_set', secret_scanning_push_protection: 'enabled' };
  const { body: made } = await client.post(at, wanted);
  await client.post(`${at}/${made.id}/attach`, { scope: 'all' });
  await here.settle();
  const found = await securityConfigurations(here);
  expect(found).toMatchObject({ ok: true, warning: true });
  expect(found.detail).toMatch(new RegExp(`^failed: ${org.login}/${repo.name}, Push \\(.*[Ss]ecret scanning.*\\)$`));
  expect(await explainConfiguration(here.db, repo.id)).toMatchObject({
    steps: [{ because: 'Push' }, { check: 'failed', passed: false, because: expect.stringMatching(/[Ss]ecret scanning/) }],
  });
});

test('a migration that failed is named with the reason, for a week', async () => {
  const ada = await here.user();
  const repo = await here.repo(ada);
  const client = await here.as(await here.token(ada, ['repo']));
  const { body } = await client.post('/user/migrations', { repositories: [`${ada.login}/${repo.name}`] });
  expect(await migrations(here, here.clock.now)).toEqual({
    check: 'migrations',
    ok: true,
    detail: 'none failed in the last 7 days',
  });
  const context = here.jobContext();
  const services = Object.defineProperty({ ...context.services }, 'git', {
    get() {
      throw new Error('ENOSPC: no space left on device');
    },
  });
  await exportMigration.run({ migration: body.id }, { ...context, services });
  const detail = `failed: ${body.id} of ${ada.login} (ENOSPC: no space left on device)`;
  expect(await migrations(here, here.clock.now)).toEqual({ check: 'migrations', ok: true, warning: true, detail });
  const later = new Date(here.clock.now.getTime() + 8 * 24 * 3_600_000);
  expect(await migrations(here, later)).toMatchObject({ detail: 'none failed in the last 7 days' });
});

test('webhooks that only subscribe to events that never happen here are named', async () => {
  const owner = await here.user();
  const org = await here.org(owner);
  const repo = await here.repo(org, { by: owner });
  const client = await here.as(owner);
  const add = async (path: string, events: string[], more: object = {}): Promise<number> => {
    const config = { url: `http://127.0.0.1:1/${fresh('hook')}` };
    const { status, body } = await client.post(`${path}/hooks`, { name: 'web', config, events, ...more });
    expect(status).toBe(201);
    return body.id;
  };
  await add(`/orgs/${org.login}`, ['*']);
  await add(`/orgs/${org.login}`, ['push', 'gollum']);
  await add(`/orgs/${org.login}`, ['gollum'], { active: false });
  expect(await webhooks(here)).toEqual({
    check: 'webhooks',
    ok: true,
    detail: 'each active one subscribes to an event that is sent',
  });
  const silent = [
    await add(`/orgs/${org.login}`, ['gollum', 'discussion']),
    await add(`/repos/${org.login}/${repo.name}`, ['package']),
  ];
  const found = await webhooks(here);
  expect(found).toMatchObject({ ok: true, warning: true });
  expect(found.detail).toBe(
    'get nothing, since their events never happen here: ' +
      `${silent[0]} of ${org.login} (gollum, discussion); ${silent[1]} of ${org.login}/${repo.name} (package)`,
  );
});

test('a budget that nothing uses up says so when it is set, and doctor names it', async () => {
  const owner = await here.user();
  const org = await here.org(owner);
  const client = await here.as(owner);
  const at = `/organizations/${org.login}/settings/billing/budgets`;
  const wanted = {
    budget_amount: 10,
    prevent_further_usage: true,
    budget_scope: 'organization',
    budget_alerting: { will_alert: false, alert_recipients: [] },
  };
  const add = async (more: object) => (await client.post(at, { ...wanted, ...more })).body;
  const silent = 'Budget successfully created.';
  const unpriced = 'Nothing that it counts has a price on this server, so it will not be used up.';
  expect(await budgets(here)).toMatchObject({ ok: true, detail: 'each one above 0 counts something with a price' });
  // The product has a price, by one of its SKUs. A price of 0 is none.
  expect((await add({ budget_type: 'ProductPricing', budget_product_sku: 'actions' })).message).toBe(silent);
  expect((await add({ budget_type: 'SkuPricing', budget_product_sku: 'actions_self_hosted_linux' })).message).toBe(silent);
  const storage = await add({ budget_type: 'SkuPricing', budget_product_sku: 'actions_storage' });
  expect(storage.message).toBe(`${silent} ${unpriced}`);
  const other = await add({ budget_type: 'SkuPricing', budget_product_sku: 'actions_linux_4_core' });
  expect(other.message).toBe(`${silent} ${unpriced}`);
  expect((await add({ budget_type: 'BundlePricing', budget_product_sku: 'ai_credits', budget_amount: 0 })).message).toBe(silent);
  const raised = await client.patch(`${at}/${other.budget.id}`, { budget_amount: 20 });
  expect(raised.body.message).toBe(`Budget successfully updated. ${unpriced}`);
  expect(await budgets(here)).toEqual({
    check: 'budgets',
    ok: true,
    warning: true,
    detail:
      'never used up, since nothing that they count has a price (HEARTH_PRICES): ' +
      `${storage.budget.id} of ${org.login}, for actions_storage; ${other.budget.id} of ${org.login}, for actions_linux_4_core`,
  });
});
