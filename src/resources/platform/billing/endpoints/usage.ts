// Reports of organizations' usage.
import { endpoint } from '#endpoint/endpoint.ts';
import { defined } from '#lib/collections.ts';
import { timeOf } from '../periods.ts';
import { byPeople, readsBilling } from '../policies.ts';
import { presentAssistantUsage, presentSum, presentUsage } from '../present.ts';
import { nameWithin, readUsage } from '../rules.ts';
import {
  AssistantUsageFilter,
  AssistantUsageReport,
  BillingUsageReport,
  BillingUsageSummary,
  UsageSummaryFilter,
  UsageTime,
} from '../schemas.ts';
import { sumUsage } from '../usage-store.ts';

export const getOrgUsage = endpoint({
  id: 'billing/get-github-billing-usage-report-org',
  method: 'GET',
  path: '/organizations/{org}/settings/billing/usage',
  summary: 'Get billing usage report for an organization',
  access: readsBilling,
  query: UsageTime,
  replies: { 200: BillingUsageReport },
  async handle({ db, at: { org }, query, now }) {
    const { period } = timeOf(query, now);
    const items = await readUsage(db, org.id, { period });
    return { usageItems: items.map((item) => presentUsage(org, item)) };
  },
});

export const getOrgUsageSummary = endpoint({
  id: 'billing/get-github-billing-usage-summary-report-org',
  method: 'GET',
  path: '/organizations/{org}/settings/billing/usage/summary',
  summary: 'Get billing usage summary for an organization',
  access: readsBilling,
  query: UsageSummaryFilter,
  replies: { 200: BillingUsageSummary },
  async handle({ db, at: { org }, query, now }) {
    const { repository, product, sku, ...time } = query;
    const { named, period } = timeOf(time, now);
    const name = repository === undefined ? undefined : nameWithin(org.login, repository);
    const isOthers = repository !== undefined && name === undefined;
    const items = isOthers ? [] : await sumUsage(db, org.id, { period, repository: name, product, sku });
    return {
      timePeriod: named,
      organization: org.login,
      ...defined({ repository, product, sku }),
      usageItems: items.map(presentSum),
    };
  },
});

export const getOrgPremiumRequests = endpoint({
  id: 'billing/get-github-billing-premium-request-usage-report-org',
  method: 'GET',
  path: '/organizations/{org}/settings/billing/premium_request/usage',
  summary: 'Get billing premium request usage report for an organization',
  access: readsBilling,
  query: AssistantUsageFilter,
  replies: { 200: AssistantUsageReport },
  async handle({ db, at: { org }, query, now }) {
    return presentAssistantUsage(db, org, { sku: 'assistant_premium_request', filter: query, now });
  },
});

export const getOrgAiCredits = endpoint({
  id: 'billing/get-github-billing-ai-credit-usage-report-org',
  method: 'GET',
  path: '/organizations/{org}/settings/billing/ai_credit/usage',
  summary: 'Get billing AI credit usage report for an organization',
  access: { ...readsBilling, ...byPeople },
  query: AssistantUsageFilter,
  replies: { 200: AssistantUsageReport },
  async handle({ db, at: { org }, query, now }) {
    return presentAssistantUsage(db, org, { sku: 'assistant_ai_credit', filter: query, now });
  },
});
