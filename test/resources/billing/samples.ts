import { budget } from '#resources/billing/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map([
  [
    budget,
    async ({ client, org }) => {
      const wanted = { budget_amount: 100, budget_type: 'ProductPricing', budget_product_sku: 'actions' };
      const { body } = await client.post(`/organizations/${org.login}/settings/billing/budgets`, wanted);
      return { budget_id: body.budget.id };
    },
  ],
]);
