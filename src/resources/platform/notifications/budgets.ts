// Notifications about budgets.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import { findBudget, loadBudgetRecipients } from '#resources/platform/billing/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notify } from './notify.ts';
import { putSubject } from './subject-store.ts';

/** Notifies the recipients of a budget that a threshold was reached, in the repository that used most of it. */
export const notifyOfBudgets = subscription<'budget.reached', JobContext>({
  name: 'notifications.budgets',
  on: ['budget.reached'],
  attempts: 25,
  async run({ id, owner, repository, at, data }, context) {
    const { db, change } = context;
    const budget = await findBudget(db, owner, data.budget);
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    if (!budget?.alerts || !repo) return;
    const user = data.user === undefined ? undefined : await findAccountById(db, data.user);
    const by = user ? ` by ${user.login}` : '';
    const title = `${data.threshold} % of the budget of $${budget.amount} for ${budget.product_sku} is used${by}`;
    const about = { kind: 'budget', budget_id: budget.id, budget_user_id: user?.id ?? null, title } as const;
    const subject = await change((scope) => putSubject(scope.tx, repo.id, about));
    if (subject === undefined) return;
    for (const { user_id } of (await loadBudgetRecipients(db, [budget.id])).get(budget.id) ?? [])
      await notify(context, {
        repo,
        recipients: 'named',
        activities: [{ event: id, subject, actors: [], person: user_id, at }],
      });
  },
});
