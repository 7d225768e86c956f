import { budget } from '#resources/platform/billing/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    budget,
    async ({ client, org }) => {
      // There is one for each SKU at most.
      const budget_product_sku = `actions_linux_${fresh('size').replace('-', '_')}`;
      const wanted = { budget_amount: 100, budget_type: 'SkuPricing', budget_product_sku };
      const { body } = await client.post(`/organizations/${org.login}/settings/billing/budgets`, wanted);
      return { budget_id: body.budget.id };
    },
  ],
]);
