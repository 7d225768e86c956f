import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { databaseBefore } from './older.ts';

test('budgets and rates of before get their products, scopes and bundles, and usage keeps its repositories', async () => {
  const { db, address } = await databaseBefore(300);
  await sql`insert into accounts (id, kind, login, created_at, updated_at) overriding system value
    values (1, 'organization', 'acme', now(), now())`.execute(db);
  await sql`insert into repositories (id, owner_id, name, created_at, updated_at) overriding system value
    values (5, 1, 'engine', now(), now())`.execute(db);
  await sql`insert into billing_rates (id, product, sku, unit_type, unit_size, price) overriding system value
    values (1, 'actions', 'actions_storage', 'GigabyteHours', 1, 0),
      (2, 'assistant', 'assistant_premium_request', 'Requests', 1, 4),
      (3, 'assistant', 'assistant_ai_credit', 'AICredits', 1000, 1)`.execute(db);
  await sql`insert into billing_months (organization_id, month, rate_id, repository_id, repository_name, quantity)
    values (1, '2026-01-01', 2, 5, 'old', 3), (1, '2026-02-01', 2, 5, 'engine', 4)`.execute(db);
  await sql`insert into billing_budgets (organization_id, repository_id, budget_type, product_sku, amount, prevents_usage, alerts,
      created_at, updated_at)
    select 1, case when sku = 'actions_storage' then 5 end, 'SkuPricing', sku, 1, true, false, now(), now()
    from unnest(array['actions_storage', 'assistant_ai_credit']) as s(sku)
    union all select 1, null, 'ProductPricing', 'assistant', 1, true, false, now(), now()`.execute(db);

  await migrate(address);
  const { rows: rates } = await sql`select bundle from billing_rates order by id`.execute(db);
  expect(rates).toEqual([{ bundle: null }, { bundle: 'premium_requests' }, { bundle: 'ai_credits' }]);
  const { rows: budgets } = await sql`select product_sku, product, scope from billing_budgets order by product_sku`.execute(db);
  expect(budgets).toEqual([
    { product_sku: 'actions_storage', product: 'actions', scope: 'repository' },
    { product_sku: 'assistant', product: 'assistant', scope: 'organization' },
    { product_sku: 'assistant_ai_credit', product: 'assistant', scope: 'organization' },
  ]);
  const { rows: names } = await sql`select repository_id, name from billing_repositories`.execute(db);
  expect(names).toEqual([{ repository_id: 5, name: 'engine' }]);
  const { rows: months } = await sql`select repository_id, user_id, quantity from billing_months order by month`.execute(db);
  expect(months).toEqual([
    { repository_id: 5, user_id: null, quantity: 3 },
    { repository_id: 5, user_id: null, quantity: 4 },
  ]);
});
