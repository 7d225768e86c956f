// What people use of the assistant: counted for budgets and reports of usage, and by person and model for reports of their own.
import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { dayOf } from '#lib/time.ts';
import { countUses, rateIn } from './counting.ts';
import type { Period, Usage } from './usage-store.ts';

export type AssistantSku = 'assistant_premium_request' | 'assistant_ai_credit';

type Used = {
  /** Requests are what the assistant did, such as a review. Credits are for the tokens that its model read and wrote. */
  readonly sku: AssistantSku;
  /** Requests or tokens, not units. */
  readonly quantity: number;
  readonly organization: Id<'accounts'>;
  /** Undefined for what belongs to no repository. */
  readonly repository: { readonly id: RepositoryId; readonly name: string } | undefined;
  readonly user: Id<'accounts'>;
  readonly model: string;
};

/** Counts what somebody used, in the transaction of the use. */
export async function addAssistantUsage(scope: WriteScope & Needs<'prices'>, used: Used, now: Date): Promise<void> {
  const { sku, quantity, organization, user, model } = used;
  if (quantity === 0) return;
  const rates = await countUses(scope, scope.services.prices, [{ ...used, at: now }], now);
  const rate_id = rateIn(rates, sku);
  await addOfUser(scope.tx, { organization_id: organization, day: dayOf(now), rate_id, user_id: user, model, quantity });
}

type OfUser = {
  readonly organization_id: Id<'accounts'>;
  readonly day: string;
  readonly rate_id: Id<'billing_rates'>;
  readonly user_id: Id<'accounts'>;
  readonly model: string;
  readonly quantity: number;
};

async function addOfUser(tx: Tx, { organization_id, day, rate_id, user_id, model, quantity }: OfUser): Promise<void> {
  await sql`
    insert into billing_assistant_days as d (organization_id, day, rate_id, user_id, model, quantity)
    values (${organization_id}, ${day}::date, ${rate_id}, ${user_id}, ${model}, ${quantity})
    on conflict (organization_id, day, rate_id, user_id, model)
      do update set quantity = d.quantity + excluded.quantity`.execute(tx);
}

/** A filter of an assistant's usage. A user is named by the login. */
type WantedAssistantUsage = {
  readonly period: Period;
  readonly sku: AssistantSku;
  readonly user?: string | undefined;
  readonly model?: string | undefined;
  readonly product?: string | undefined;
};

type ModelUsage = Usage & { readonly model: string };

/** The assistant's usage in an organization, by its models and rates. */
export async function sumAssistantUsage(
  db: Db,
  organization: Id<'accounts'>,
  { period, sku, user, model, product }: WantedAssistantUsage,
): Promise<ModelUsage[]> {
  const conditions = [
    sql`d.organization_id = ${organization}`,
    sql`d.day >= ${period.from}::date`,
    sql`d.day < ${period.until}::date`,
    sql`t.sku = ${sku}`,
    ...(user === undefined ? [] : [sql`d.user_id = (select a.id from accounts a where lower(a.login) = lower(${user}))`]),
    ...(model === undefined ? [] : [sql`lower(d.model) = lower(${model})`]),
    ...(product === undefined ? [] : [sql`lower(t.product) = lower(${product})`]),
  ];
  const { rows } = await sql<ModelUsage>`
    select t.product, t.sku, t.unit_type, t.price, d.model, sum(d.quantity)::float8 / t.unit_size as quantity
    from billing_assistant_days d join billing_rates t on t.id = d.rate_id
    where ${sql.join(conditions, sql` and `)}
    group by t.id, d.model order by d.model, t.price`.execute(db);
  return rows;
}
