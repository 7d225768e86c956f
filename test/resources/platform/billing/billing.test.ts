import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';

const folder = await mkdtemp(join(tmpdir(), 'hearth-prices-'));
const prices = join(folder, 'prices.json');
await writeFile(prices, JSON.stringify({ actions_self_hosted_linux: 2, actions_storage: 0.5 }));
const w = await world({ prices, vocabulary: 'github' });
await rm(folder, { recursive: true });
w.clock.now = new Date('2026-03-10T10:00:00Z');

const workflow = `on:
  push:
  workflow_dispatch:
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: make
`;

async function setting() {
  const owner = await w.user();
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner, visibility: 'private' });
  const client = await w.as(owner);
  const base = `/organizations/${org.login}/settings/billing`;
  const octokit = new Octokit({
    auth: await w.token(owner),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    log: quiet,
  });
  return { owner, org, repo, client, base, octokit, runs: `/repos/${org.login}/${repo.name}/actions/runs` };
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const pass = (minutes: number): void => {
  w.clock.now = new Date(w.clock.now.getTime() + minutes * 60_000);
};

test('what ran and what is stored is counted once; a budget tells of it, and stops runs until it is raised', async () => {
  const { owner, org, repo, client, base, octokit, runs } = await setting();
  const created = await client.post(`${base}/budgets`, {
    budget_amount: 10,
    prevent_further_usage: true,
    budget_scope: 'repository',
    budget_entity_name: `${org.login}/${repo.name}`,
    budget_type: 'ProductPricing',
    budget_product_sku: 'actions',
    budget_alerting: { will_alert: true, alert_recipients: [owner.login] },
  });
  expect(created.status).toBe(200);
  const place = `${base}/budgets/${created.body.budget.id}`;
  await pushWorkflow(w, repo, { [ciPath]: workflow });
  const runner = await startRunner(w, repo);
  const work = async (minutes: number) => {
    const task = await runner.fetch();
    if (!task) throw new Error('No job');
    pass(minutes);
    await runner.end(task, 'success');
    await w.settle();
    return task;
  };
  const start = () => client.post(`/repos/${org.login}/${repo.name}/actions/workflows/ci.yml/dispatches`, { ref: 'main' });
  const task = await work(3.5);
  const [first] = (await client.get(runs)).body.workflow_runs;
  expect((await client.get(place)).body).toEqual(created.body.budget);
  const budgets = async () => (await client.get(`${base}/budgets`)).body.budgets;
  expect(await budgets()).toMatchObject([{ budget_entity_name: `${org.login}/${repo.name}`, consumed_amount: 8 }]);
  const inbox = async () => (await client.get('/notifications?all=true')).body.filter(({ subject }: never) => isBudget(subject));
  expect(await inbox()).toMatchObject([
    { reason: 'subscribed', subject: { title: '75 % of the budget of $10 for actions is used' }, repository: { id: repo.id } },
  ]);

  // What is told again isn't counted again.
  await w.change(async (scope) => {
    const events = sql`select id from events
      where kind = 'workflow_job.completed' and (data->>'job')::bigint = ${Number(task.id)}`;
    await sql`select jobs.add_job('billing.count-minutes', json_build_object('event', id)) from (${events}) e`.execute(scope.tx);
  });
  await w.settle();
  await client.post(`${runs}/${first.id}/rerun`);
  await w.settle();
  await work(1);
  const { data: all } = await octokit.rest.billing.getGithubBillingUsageReportOrg({ org: org.login, year: 2026, month: 3 });
  expect(all.usageItems).toEqual([
    {
      date: '2026-03-10T00:00:00Z',
      product: 'actions',
      sku: 'actions_self_hosted_linux',
      quantity: 5,
      unitType: 'Minutes',
      pricePerUnit: 2,
      grossAmount: 10,
      discountAmount: 0,
      netAmount: 10,
      organizationName: org.login,
      repositoryName: `${org.login}/${repo.name}`,
    },
  ]);
  expect(await inbox()).toMatchObject([{ subject: { title: '100 % of the budget of $10 for actions is used' } }]);
  // A budget for something else tells of that anew.
  await client.patch(place, { budget_type: 'SkuPricing', budget_product_sku: 'actions_self_hosted_linux' });
  await w.settle();
  expect(JSON.stringify(await inbox())).toContain('100 % of the budget of $10 for actions_self_hosted_linux is used');
  await client.patch(place, { budget_type: 'ProductPricing', budget_product_sku: 'actions' });

  // The budget is used up: a dispatch makes a run that says why it doesn't start, and none is run again.
  await start();
  const [stopped] = (await client.get(runs)).body.workflow_runs;
  expect(stopped).toMatchObject({ run_number: 2, status: 'completed', conclusion: 'startup_failure' });
  const suite = `/repos/${org.login}/${repo.name}/check-suites/${stopped.check_suite_id}/check-runs`;
  expect((await client.get(suite)).body.check_runs[0].output.summary).toContain(
    'The budget of $10 for actions of this repository',
  );
  expect(await client.post(`${runs}/${first.id}/rerun`)).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('used up') },
  });
  expect((await client.get(`${runs}/${stopped.id}/jobs`)).body.total_count).toBe(0);

  const raised = await client.patch(place, { budget_amount: 100 });
  expect(raised.body.budget).toMatchObject({ budget_amount: 100, prevent_further_usage: true, consumed_amount: 10 });
  await start();
  expect((await client.get(runs)).body.workflow_runs[0]).toMatchObject({ run_number: 3, status: 'queued' });

  // A new month begins at nothing.
  await client.patch(place, { budget_amount: 10 });
  w.clock.now = new Date('2026-04-01T00:00:00Z');
  await start();
  expect((await client.get(runs)).body.workflow_runs[0]).toMatchObject({ run_number: 4, status: 'queued' });

  expect((await client.delete(place)).body).toMatchObject({ id: created.body.budget.id });
  expect(await budgets()).toEqual([]);
});

const isBudget = ({ type }: { type: string }): boolean => type === 'Budget';

/** Adds a day's usage, as if it had been counted. */
async function use(
  org: { id: number },
  day: string,
  rows: readonly { sku: string; repository: string; id: number; minutes: number }[],
) {
  for (const { sku, repository, id, minutes } of rows) {
    const rate = sql`insert into billing_rates (product, sku, unit_type, unit_size, price)
      values ('actions', ${sku}, 'Minutes', 1, 2)
      on conflict (sku, price) do update set unit_type = excluded.unit_type returning id`;
    const { rows: made } = await rate.execute(w.db);
    const { id: rate_id } = made[0] as { id: number };
    await sql`insert into billing_repositories values (${org.id}, ${id}, ${repository}) on conflict do nothing`.execute(w.db);
    await sql`insert into billing_days (organization_id, day, rate_id, repository_id, quantity)
      values (${org.id}, ${day}, ${rate_id}, ${id}, ${minutes})`.execute(w.db);
    await sql`insert into billing_months as m (organization_id, month, rate_id, repository_id, quantity)
      values (${org.id}, date_trunc('month', ${day}::date), ${rate_id}, ${id}, ${minutes})
      on conflict (organization_id, month, rate_id, repository_id, user_id)
        do update set quantity = m.quantity + excluded.quantity`.execute(w.db);
  }
}

test('reports are of a year, a month or a day, and of a repository, a product or a SKU', async () => {
  const { org, owner, client, base, octokit } = await setting();
  const linux = 'actions_self_hosted_linux';
  const [first, second] = [1_000_001, 1_000_002]; // No repositories have these ids.
  await use(org, '2026-01-31', [{ sku: linux, repository: 'one', id: first, minutes: 1 }]);
  await use(org, '2026-02-01', [
    { sku: linux, repository: 'one', id: first, minutes: 10 },
    { sku: linux, repository: 'two', id: second, minutes: 100 },
    { sku: 'actions_self_hosted_macos', repository: 'two', id: second, minutes: 1_000 },
  ]);
  await use(org, '2026-02-02', [{ sku: linux, repository: 'one', id: first, minutes: 10_000 }]);
  const amounts = async (query: string) =>
    (await client.get(`${base}/usage/summary${query}`)).body.usageItems.map(
      ({ sku, grossQuantity }: { sku: string; grossQuantity: number }) => [sku.split('_').at(-1), grossQuantity],
    );
  expect(await amounts('?year=2026')).toEqual([
    ['linux', 10_111],
    ['macos', 1_000],
  ]);
  expect(await amounts('?year=2026&month=1')).toEqual([['linux', 1]]);
  expect(await amounts('?year=2026&month=2&day=1')).toEqual([
    ['linux', 110],
    ['macos', 1_000],
  ]);
  expect(await amounts(`?year=2026&month=2&repository=${org.login}/two&sku=${linux}`)).toEqual([['linux', 100]]);
  expect(await amounts('?year=2026&repository=ONE&product=Actions')).toEqual([['linux', 10_011]]);
  expect(await amounts('?year=2026&repository=others/one')).toEqual([]);
  expect(await amounts('?year=2026&product=packages')).toEqual([]);
  expect(await amounts('?year=2025')).toEqual([]);
  const { data } = await octokit.rest.billing.getGithubBillingUsageReportOrg({ org: org.login, year: 2026 });
  expect(data.usageItems?.map(({ date, quantity }) => [date.slice(0, 7), quantity])).toEqual([
    ['2026-01', 1],
    ['2026-02', 10_010],
    ['2026-02', 100],
    ['2026-02', 1_000],
  ]);
  expect(await client.get(`${base}/usage?year=2026&month=2&day=30`)).toMatchObject({ status: 400 });
  expect(await client.get(`${base}/usage?month=13`)).toMatchObject({ status: 422 });
  for (const kind of ['premium_request', 'ai_credit'])
    expect((await client.get(`${base}/${kind}/usage?year=2026&month=2&model=any`)).body).toEqual({
      timePeriod: { year: 2026, month: 2 },
      organization: org.login,
      model: 'any',
      usageItems: [],
    });
  expect(await w.statements(owner, `${base}/usage?year=2026`)).toBeLessThanOrEqual(2);
  expect(await w.statements(owner, `${base}/usage/summary?year=2026`)).toBeLessThanOrEqual(2);
});

test('storage is counted once in each hour', async () => {
  const { org, repo, client, base } = await setting();
  const gibi = 2 ** 30;
  await sql`insert into caches (repository_id, ref, key, version, object_key, size, digest, created_at, last_accessed_at)
    values (${repo.id}, 'refs/heads/main', 'k', 'v', 'caches/none', ${gibi / 2}, 'd', now(), ${w.clock.now})`.execute(w.db);
  const count = () =>
    w.change(async (scope) => void (await sql`select jobs.add_job('billing.count-storage', '{}')`.execute(scope.tx)));
  for (let times = 0; times < 2; times++) {
    await count();
    await w.settle();
  }
  pass(60);
  await count();
  await w.settle();
  const { usageItems } = (await client.get(`${base}/usage/summary?sku=actions_cache_storage`)).body;
  expect(usageItems).toMatchObject([{ unitType: 'GigabyteHours', grossQuantity: 1, pricePerUnit: 0, netAmount: 0 }]);
  expect(usageItems).toHaveLength(1);
  expect(org.login).toBe((await client.get(`${base}/usage/summary`)).body.organization);
});

test('a budget that makes no sense is refused, with the field named, and nothing is written', async () => {
  const { org, repo, client, base } = await setting();
  const stranger = await w.user();
  const member = await w.user();
  await w.member(org, member);
  const good = { budget_amount: 5, budget_type: 'SkuPricing', budget_product_sku: 'actions_storage' };
  const { body: kept } = await client.post(`${base}/budgets`, { ...good, budget_scope: 'organization' });
  const { body: second } = await client.post(`${base}/budgets`, { ...good, budget_product_sku: 'actions_linux' });
  const other = `${base}/budgets/${second.budget.id}`;
  const ofUser = { budget_scope: 'user', user: member.login, budget_product_sku: 'actions_linux' };
  const bad: readonly [object, field: string][] = [
    [{ budget_amount: -1 }, 'budget_amount'],
    [{ budget_amount: 1.5 }, 'budget_amount'],
    [{ budget_type: 'ProductPricing' }, 'budget_product_sku'],
    [{ budget_product_sku: 'packages' }, 'budget_product_sku'],
    [{ budget_product_sku: 'ACTIONS_STORAGE' }, 'budget_product_sku'],
    [{ budget_scope: 'enterprise' }, 'budget_scope'],
    [{ budget_type: 'BundlePricing', budget_product_sku: 'actions' }, 'budget_product_sku'],
    [{ ...ofUser, user: undefined }, 'user'],
    [{ ...ofUser, user: stranger.login }, 'user'],
    [{ ...ofUser, user: org.login }, 'user'],
    [{ ...ofUser, budget_entity_name: stranger.login }, 'budget_entity_name'],
    [{ ...ofUser, budget_scope: 'organization' }, 'user'],
    [{ ...ofUser, budget_product_sku: 'actions_storage' }, 'budget_product_sku'],
    [{ ...ofUser, prevent_further_usage: false }, 'prevent_further_usage'],
    [{ ...ofUser, budget_alerting: { will_alert: true, alert_recipients: [] } }, 'budget_alerting'],
    [{ ...ofUser, budget_alerting: { alert_recipients: [member.login] } }, 'budget_alerting'],
    [{ ...ofUser, budget_scope: 'multi_user_customer', user: undefined, prevent_further_usage: false }, 'prevent_further_usage'],
    [{ budget_scope: 'organization', budget_entity_name: stranger.login }, 'budget_entity_name'],
    [{ budget_scope: 'repository' }, 'budget_entity_name'],
    [{ budget_scope: 'repository', budget_entity_name: fresh('none') }, 'budget_entity_name'],
    [{ budget_scope: 'repository', budget_entity_name: `${stranger.login}/${repo.name}` }, 'budget_entity_name'],
    ...[[], [stranger.login], [member.login]].map((alert_recipients): [object, string] => [
      { budget_product_sku: 'actions_cache_storage', budget_alerting: { will_alert: true, alert_recipients } },
      'budget_alerting.alert_recipients',
    ]),
  ];
  const refused = (field: string) => ({ status: 422, body: { errors: [expect.objectContaining({ field })] } });
  await w.unchanged(['billing_budgets', 'billing_budget_recipients', 'events'], async () => {
    for (const [change, field] of bad)
      expect(await client.post(`${base}/budgets`, { ...good, ...change })).toMatchObject(refused(field));
    expect(await client.post(`${base}/budgets`, { budget_amount: 1 })).toMatchObject({ status: 422 });
    const place = `${base}/budgets/${kept.budget.id}`;
    expect(await client.patch(place, { budget_amount: -5 })).toMatchObject(refused('budget_amount'));
    expect(await client.patch(place, { budget_scope: 'repository' })).toMatchObject(refused('budget_entity_name'));
    const clash = await client.patch(other, { budget_product_sku: 'actions_storage' });
    expect(clash.body.errors).toEqual((await client.post(`${base}/budgets`, good)).body.errors);
    expect(clash).toMatchObject({ status: 422, body: { errors: [{ code: 'already_exists' }] } });
  });
  const asMember = await w.as(member);
  expect(await asMember.get(`${base}/budgets`)).toMatchObject({ status: 404 });
});

test('a page of budgets costs as many statements as one', async () => {
  const { org, owner, client, base } = await setting();
  const add = async (sku: string) =>
    client.post(`${base}/budgets`, { budget_amount: 5, budget_type: 'SkuPricing', budget_product_sku: sku });
  await add('actions_storage');
  const one = await w.statements(owner, `${base}/budgets`);
  for (const sku of ['actions_linux', 'actions_windows', 'actions_macos']) await add(sku);
  expect(await w.statements(owner, `${base}/budgets`)).toBe(one);
  expect((await client.get(`${base}/budgets?per_page=3&scope=organization`)).body).toMatchObject({
    has_next_page: true,
    total_count: 4,
    budgets: [{ budget_entity_name: org.login }, {}, {}],
  });
  expect((await client.get(`${base}/budgets?scope=repository`)).body).toMatchObject({ budgets: [], has_next_page: false });
  expect((await client.get(`${base}/budgets?user=${owner.login}`)).body.budgets).toEqual([]);
  expect((await client.get(`${base}/budgets?user=${fresh('nobody')}`)).body).toEqual({
    budgets: [],
    has_next_page: false,
    total_count: 0,
  });
});

test('budgets are 100 at most, and a report of more than 50,000 items asks for a shorter time', async () => {
  const { org, client, base } = await setting();
  const budget = { budget_amount: 5, budget_type: 'SkuPricing', budget_product_sku: 'actions_storage' };
  await client.post(`${base}/budgets`, budget);
  const found = w.db.selectFrom('billing_budgets').selectAll().where('organization_id', '=', org.id);
  const { id: _, ...row } = await found.executeTakeFirstOrThrow();
  const more = Array.from({ length: 98 }, (_, at) => ({ ...row, product_sku: `sku-${at}` }));
  await w.db.insertInto('billing_budgets').values(more).execute();
  const add = (sku: string) => client.post(`${base}/budgets`, { ...budget, budget_product_sku: sku });
  expect((await add('actions_linux')).status).toBe(200);
  await w.unchanged(['billing_budgets', 'events'], async () => {
    const errors = [{ field: 'budget_product_sku', message: 'An organization can have at most 100 budgets' }];
    expect(await add('actions_macos')).toMatchObject({ status: 422, body: { errors } });
  });

  await use(org, '2026-01-31', [{ sku: 'actions_linux', repository: 'one', id: 1, minutes: 1 }]);
  await use(org, '2026-02-01', [{ sku: 'actions_linux', repository: 'one', id: 1, minutes: 1 }]);
  await sql`insert into billing_months (organization_id, month, rate_id, repository_id, quantity)
    select organization_id, month, rate_id, n, quantity from billing_months, generate_series(2, 50000) n
    where organization_id = ${org.id} and month = '2026-01-01'`.execute(w.db);
  expect(await client.get(`${base}/usage?year=2026`)).toMatchObject({
    status: 400,
    body: { message: 'There are more than 50000 items: ask for a month or a day' },
  });
  expect((await client.get(`${base}/usage?year=2026&month=2`)).body.usageItems).toHaveLength(1);
});
