// Budgets of organizations.
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesInside } from '#endpoint/paging.ts';
import { orNotFound } from '#lib/refusal.ts';
import { findBudget } from '../budget-store.ts';
import { budget } from '../path-resources.ts';
import { byPeople, readsBilling, writesBilling } from '../policies.ts';
import { messageOf, presentBudget, presentBudgetList, presentConsumedBudget, presentNamedBudget } from '../present.ts';
import { changeBudget, createBudget, deleteBudget } from '../rules.ts';
import {
  Budget,
  BudgetChange,
  BudgetFilter,
  BudgetList,
  ChangedBudget,
  CreatedBudget,
  DeletedBudget,
  NewBudget,
} from '../schemas.ts';

export const listOrgBudgets = endpoint({
  id: 'billing/get-all-budgets-org',
  method: 'GET',
  path: '/organizations/{org}/settings/billing/budgets',
  summary: 'Get all budgets for an organization',
  access: readsBilling,
  query: BudgetFilter,
  paging: pagesInside({ defaultLimit: 10 }),
  replies: { 200: BudgetList },
  async handle({ scope, at: { org }, query, page }) {
    return presentBudgetList(scope, org, query, page);
  },
});

export const createOrgBudget = endpoint({
  id: 'billing/create-organization-budget',
  method: 'POST',
  path: '/organizations/{org}/settings/billing/budgets',
  summary: 'Create a budget for an organization',
  access: { ...writesBilling, ...byPeople },
  body: NewBudget,
  example: {
    budget_amount: 200,
    prevent_further_usage: true,
    budget_scope: 'organization',
    budget_type: 'ProductPricing',
    budget_product_sku: 'actions',
    budget_alerting: { will_alert: false, alert_recipients: [] },
  },
  replies: { 200: CreatedBudget },
  async handle({ scope, db, change, at: { org }, body, action, services }) {
    const id = await change((scope) => createBudget(scope, action, body));
    const row = orNotFound(await findBudget(db, org.id, id));
    const message = messageOf('created', row, services.prices);
    return { message, budget: await presentNamedBudget(scope, org, row) };
  },
});

export const getOrgBudget = endpoint({
  id: 'billing/get-budget-org',
  method: 'GET',
  path: '/organizations/{org}/settings/billing/budgets/{budget_id}',
  resources: [budget],
  summary: 'Get a budget by ID for an organization',
  access: readsBilling,
  replies: { 200: Budget },
  async handle({ scope, at: { org, budget } }) {
    return presentBudget(scope, org, budget);
  },
});

export const updateOrgBudget = endpoint({
  id: 'billing/update-budget-org',
  method: 'PATCH',
  path: '/organizations/{org}/settings/billing/budgets/{budget_id}',
  resources: [budget],
  summary: 'Update a budget for an organization',
  access: writesBilling,
  body: BudgetChange,
  example: { budget_amount: 300 },
  replies: { 200: ChangedBudget },
  async handle({ scope, db, change, at, body, action, services }) {
    const { org } = at;
    await change((scope, { budget }) => changeBudget(scope, action, budget, body));
    const row = orNotFound(await findBudget(db, org.id, at.budget.id));
    const message = messageOf('updated', row, services.prices);
    return { message, budget: await presentConsumedBudget(scope, org, row) };
  },
});

export const deleteOrgBudget = endpoint({
  id: 'billing/delete-budget-org',
  method: 'DELETE',
  path: '/organizations/{org}/settings/billing/budgets/{budget_id}',
  resources: [budget],
  summary: 'Delete a budget for an organization',
  access: writesBilling,
  replies: { 200: DeletedBudget },
  async handle({ change, at, action }) {
    await change((scope, { budget }) => deleteBudget(scope, action, budget));
    return { message: 'Budget successfully deleted.', id: String(at.budget.id) };
  },
});
