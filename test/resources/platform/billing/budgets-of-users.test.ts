import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { addAssistantUsage, countUses, spentBudgetOf } from '#resources/platform/billing/index.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { billedSetting, passMinutes } from './setting.ts';

const folder = await mkdtemp(join(tmpdir(), 'hearth-prices-'));
const prices = join(folder, 'prices.json');
await writeFile(
  prices,
  JSON.stringify({ actions_self_hosted_linux: 2, assistant_premium_request: 0.04, assistant_ai_credit: 0.01 }),
);
const w = await world({ prices, vocabulary: 'github' });
await rm(folder, { recursive: true });
w.clock.now = new Date('2026-03-10T10:00:00Z');

const forActions = { budget_type: 'ProductPricing', budget_product_sku: 'actions' } as const;
const titles = async (client: Awaited<ReturnType<typeof w.as>>): Promise<string[]> =>
  (await client.get('/notifications?all=true')).body
    .filter(({ subject }: { subject: { type: string } }) => subject.type === 'Budget')
    .map(({ subject }: { subject: { title: string } }) => subject.title)
    .toSorted();

test('a budget for each user counts what everybody causes, tells the owners, and stops those who used it up', async () => {
  const { owner, org, repo, base, client, member, runs, start, addBudget } = await billedSetting(w);
  const [ada, ben] = [await member(), await member()];
  const former = await w.user();
  await w.member(org, former, 'owner');
  const alerts = { will_alert: true, alert_recipients: [owner.login, former.login] };
  const each = await addBudget({
    ...forActions,
    budget_amount: 8,
    budget_scope: 'multi_user_customer',
    budget_alerting: alerts,
  });
  expect(each).toMatchObject({
    budget_scope: 'multi_user_customer',
    budget_entity_name: org.login,
    prevent_further_usage: true,
    budget_alerting: alerts,
  });
  await w.member(org, former, 'member');
  const runner = await startRunner(w, repo);
  const work = async (minutes: number) => {
    const task = await runner.fetch();
    if (!task) throw new Error('No job');
    passMinutes(w, minutes);
    await runner.end(task, 'success');
    await w.settle();
  };
  const budgetsOf = async (user: { login: string }) => (await client.get(`${base}/budgets?user=${user.login}`)).body;

  const first = await start(ada);
  await work(3);
  expect(await budgetsOf(ada)).toMatchObject({
    user: ada.login,
    budgets: [{ id: each.id, consumed_amount: 6 }],
    effective_budget: { id: each.id, budget_amount: 8, consumed_amount: 6 },
  });
  expect(await budgetsOf(ben)).toMatchObject({ effective_budget: { id: each.id, consumed_amount: 0 } });
  expect((await client.get(`${base}/budgets`)).body.budgets[0]).not.toHaveProperty('consumed_amount');
  const title = (percent: number, { login } = ada) => `${percent} % of the budget of $8 for actions is used by ${login}`;
  expect(await titles(client)).toEqual([title(75)]);
  expect(await titles(await w.as(former))).toEqual([]);

  // What ben runs again is ben's.
  await (await w.as(ben)).post(`${runs}/${first.id}/rerun`);
  await work(1);
  expect(await budgetsOf(ben)).toMatchObject({ effective_budget: { consumed_amount: 2 } });
  await start(ada);
  await work(1);
  expect(await budgetsOf(ada)).toMatchObject({ effective_budget: { consumed_amount: 8 } });
  expect(await titles(client)).toEqual([title(100)]);

  // Ada is stopped, and nobody else.
  const stopped = await start(ada);
  expect(stopped).toMatchObject({ status: 'completed', conclusion: 'startup_failure' });
  const suite = `/repos/${org.login}/${repo.name}/check-suites/${stopped.check_suite_id}/check-runs`;
  expect((await client.get(suite)).body.check_runs[0].output.summary).toContain(
    `The budget of $8 for actions of ${ada.login} is used up for this month`,
  );
  expect(await (await w.as(ada)).post(`${runs}/${first.id}/rerun`)).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('used up') },
  });
  expect(await start(ben)).toMatchObject({ status: 'queued' });
  await work(2);
  // The alerts about each user are a thread.
  expect(await titles(client)).toEqual([title(100), title(75, ben)]);

  // A budget of one's own holds in the place of that for each user.
  const own = await addBudget({ ...forActions, budget_amount: 20, budget_scope: 'user', user: ada.login });
  expect(own).toMatchObject({
    budget_scope: 'user',
    budget_entity_name: ada.login,
    prevent_further_usage: true,
  });
  expect(await budgetsOf(ada)).toMatchObject({
    budgets: [
      { id: each.id, consumed_amount: 8 },
      { id: own.id, consumed_amount: 8 },
    ],
    effective_budget: { id: own.id, budget_amount: 20 },
  });
  expect((await client.get(`${base}/budgets?scope=user&user=${ada.login}`)).body).toMatchObject({
    total_count: 1,
    budgets: [{ id: own.id }],
  });
  expect(await start(ada)).toMatchObject({ status: 'queued' });
  await work(2);
  const lowered = await client.patch(`${base}/budgets/${own.id}`, {
    budget_amount: 12,
    budget_alerting: { will_alert: true, alert_recipients: [owner.login] },
  });
  expect(lowered.body.budget).toMatchObject({
    user: ada.login,
    consumed_amount: 12,
    budget_alerting: { will_alert: false, alert_recipients: [] },
  });
  expect(await start(ada)).toMatchObject({ conclusion: 'startup_failure' });
  expect((await client.patch(`${base}/budgets/${own.id}`, { user: ben.login })).body.budget).toMatchObject({
    user: ben.login,
    consumed_amount: 6,
  });
  expect(await titles(client)).toEqual([title(100), title(75, ben)]);
});

test('what nobody caused is in no budget of users', async () => {
  const { org, repo, base, client, start, member, addBudget, owner } = await billedSetting(w);
  const user = await member();
  await addBudget({ ...forActions, budget_amount: 0, budget_scope: 'multi_user_customer' });
  const { prices: rates } = w.hearth.services;
  const used = { organization: org.id, repository: repo, sku: 'actions_linux_4_core', quantity: 5, at: w.clock.now };
  await w.change((scope) => countUses(scope, rates, [{ ...used, user: undefined }], w.clock.now));
  expect((await client.get(`${base}/budgets?user=${user.login}`)).body.effective_budget.consumed_amount).toBe(0);
  expect(await start(user)).toMatchObject({ conclusion: 'startup_failure' });
  expect(await start(owner)).toMatchObject({ conclusion: 'startup_failure' });
  const intended = { organization: org.id, repository: repo.id, product: 'actions' } as const;
  expect(await spentBudgetOf(w.db, { ...intended, user: undefined }, w.clock.now)).toBeUndefined();
  expect(await spentBudgetOf(w.db, { ...intended, user: org.id }, w.clock.now)).toBeUndefined();
});

test('a budget for a bundle counts its SKUs, and stops what uses them alone', async () => {
  const { owner, org, base, client, start, addBudget, repo } = await billedSetting(w);
  const bundle = { budget_type: 'BundlePricing', budget_product_sku: 'ai_credits', prevent_further_usage: true } as const;
  const budget = await addBudget({
    ...bundle,
    budget_amount: 4,
    budget_alerting: { will_alert: true, alert_recipients: [owner.login] },
  });
  const requests = await addBudget({
    ...bundle,
    budget_amount: 5,
    budget_product_sku: 'premium_requests',
    budget_scope: 'user',
    user: owner.login,
  });
  const used = { organization: org.id, repository: undefined, user: owner.id, model: 'reviewer' };
  const use = (sku: 'assistant_ai_credit' | 'assistant_premium_request', quantity: number) =>
    w.change((scope) => addAssistantUsage(scope, { ...used, sku, quantity }, w.clock.now));
  await use('assistant_ai_credit', 399_250);
  await use('assistant_premium_request', 100);
  await w.settle();
  const consumed = async () =>
    (await client.get(`${base}/budgets`)).body.budgets.map((one: { consumed_amount: number }) => one.consumed_amount);
  expect(await consumed()).toEqual([3.9925, 4]);
  expect(await titles(client)).toEqual(['90 % of the budget of $4 for ai_credits is used']);
  const intended = { organization: org.id, repository: undefined, user: owner.id, product: 'assistant' } as const;
  const spent = () => spentBudgetOf(w.db, intended, w.clock.now);
  expect(await spent()).toBeUndefined();
  await use('assistant_ai_credit', 750);
  expect(await spent()).toContain('The budget of $4 for ai_credits of this organization is used up');
  expect(await start(owner)).toMatchObject({ status: 'queued' });
  expect((await client.get(`${base}/budgets/${budget.id}`)).body).toMatchObject({ budget_type: 'BundlePricing' });
  expect((await client.patch(`${base}/budgets/${budget.id}`, { budget_amount: 5 })).body.budget).toMatchObject({
    budget_type: 'BundlePricing',
    consumed_amount: 4,
  });
  expect(await spent()).toBeUndefined();
  await client.patch(`${base}/budgets/${requests.id}`, { budget_amount: 4 });
  expect(await spent()).toContain(`The budget of $4 for premium_requests of ${owner.login} is used up`);
  expect(await spentBudgetOf(w.db, { ...intended, user: asId<'accounts'>(0) }, w.clock.now)).toBeUndefined();
  expect(repo.owner.id).toBe(org.id);

  const { usageItems } = (await client.get(`${base}/usage?product=assistant`)).body;
  expect(usageItems).toHaveLength(2);
  for (const item of usageItems) expect(item).not.toHaveProperty('repositoryName');
  const refused = await client.post(`${base}/budgets`, { ...bundle, budget_amount: 1, budget_product_sku: 'everything' });
  expect(refused).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'budget_product_sku', message: expect.stringContaining('premium_requests and ai_credits') }] },
  });
});

test('a repository that leaves its organization takes its budgets with it, and leaves what it used under its last name', async () => {
  const { owner, org, repo, base, client, addBudget } = await billedSetting(w);
  const other = await w.org(owner);
  const entity = `${org.login}/${repo.name}`;
  await addBudget({ ...forActions, budget_amount: 8, budget_scope: 'repository', budget_entity_name: entity });
  await addBudget({ ...forActions, budget_amount: 9, budget_scope: 'organization' });
  const used = { organization: org.id, repository: repo, user: owner.id, sku: 'actions_linux_4_core', quantity: 5 };
  await w.change((scope) => countUses(scope, w.hearth.services.prices, [{ ...used, at: w.clock.now }], w.clock.now));
  const names = async () =>
    (await client.get(`${base}/usage`)).body.usageItems.map(({ repositoryName }: { repositoryName: string }) => repositoryName);
  await client.patch(`/repos/${entity}`, { name: 'renamed' });
  expect(await names()).toEqual([`${org.login}/renamed`]);
  const moved = await client.post(`/repos/${org.login}/renamed/transfer`, { new_owner: other.login, new_name: 'hidden' });
  expect(moved.status).toBe(202);
  await w.settle();
  expect(await names()).toEqual([`${org.login}/renamed`]);
  expect((await client.get(`${base}/budgets`)).body.budgets).toMatchObject([{ budget_amount: 9 }]);
  const summary = async (name: string) => (await client.get(`${base}/usage/summary?repository=${name}`)).body.usageItems;
  expect(await summary('renamed')).toMatchObject([{ grossQuantity: 5 }]);
  expect(await summary('hidden')).toEqual([]);
});

test('a list of budgets of users costs as many statements for many as for one', async () => {
  const { owner, base, member, addBudget } = await billedSetting(w);
  const add = async () => addBudget({ ...forActions, budget_amount: 8, budget_scope: 'user', user: (await member()).login });
  await add();
  await addBudget({ ...forActions, budget_amount: 8, budget_scope: 'multi_user_customer' });
  const query = `${base}/budgets?user=${owner.login}`;
  const [all, one] = [await w.statements(owner, `${base}/budgets`), await w.statements(owner, query)];
  await Promise.all([add(), add(), add()]);
  expect(await w.statements(owner, `${base}/budgets`)).toBe(all);
  expect(await w.statements(owner, query)).toBe(one);
});

test('budgets of users are 1,000 at most, apart from the others', async () => {
  const { owner, org, client, base, addBudget } = await billedSetting(w);
  const wanted = { ...forActions, budget_amount: 5, budget_scope: 'user', user: owner.login };
  await addBudget(wanted);
  const found = w.db.selectFrom('billing_budgets').selectAll().where('organization_id', '=', org.id);
  const { id: _, ...row } = await found.executeTakeFirstOrThrow();
  const more = Array.from({ length: 998 }, (_, at) => ({ ...row, product_sku: `sku-${at}` }));
  await w.db.insertInto('billing_budgets').values(more).execute();
  const sku = { ...wanted, budget_type: 'SkuPricing', budget_product_sku: 'actions_self_hosted_linux' };
  expect((await client.post(`${base}/budgets`, sku)).status).toBe(200);
  await w.unchanged(['billing_budgets', 'events'], async () => {
    const errors = [{ field: 'budget_product_sku', message: 'An organization can have at most 1000 budgets of users' }];
    const another = { ...sku, budget_product_sku: 'actions_self_hosted_macos' };
    expect(await client.post(`${base}/budgets`, another)).toMatchObject({ status: 422, body: { errors } });
  });
  expect((await client.post(`${base}/budgets`, { ...forActions, budget_amount: 5 })).status).toBe(200);
});
