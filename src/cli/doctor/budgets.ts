import { sql } from 'kysely';
import { type BudgetSubject, isPriced } from '#resources/platform/billing/index.ts';
import { type CheckContext, type Diagnosis, someOf } from './diagnosis.ts';

type Budget = BudgetSubject & { login: string; id: number };

/** Lists the budgets that can't be used up, since nothing that they count has a price. */
export async function budgets({ db, hearth }: CheckContext): Promise<Diagnosis> {
  const { rows } = await sql<Budget>`
    select b.id, o.login, b.budget_type, b.product_sku from billing_budgets b join accounts o on o.id = b.organization_id
    where b.amount > 0 order by b.id`.execute(db);
  const unpriced = rows.filter((budget) => !isPriced(hearth.services.prices, budget));
  const check = 'budgets';
  if (unpriced.length === 0) return { check, ok: true, detail: 'each one above 0 counts something with a price' };
  const named = unpriced.map(({ id, login, product_sku }) => `${id} of ${login}, for ${product_sku}`);
  const detail = `never used up, since nothing that they count has a price (HEARTH_PRICES): ${someOf(named, '; ')}`;
  return { check, ok: true, warning: true, detail };
}
