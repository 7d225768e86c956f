import { type Selectable, sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

type RateRow = Selectable<DB['billing_rates']>;

/** The cost of a unit. */
export type Rate = Omit<RateRow, 'id'>;

/** The rows of rates, by their SKUs. Missing rows are created. Each SKU must be given only once. */
export async function putRates(tx: Tx, rates: readonly Rate[]): Promise<Map<string, Id<'billing_rates'>>> {
  if (rates.length === 0) return new Map();
  const { rows } = await sql<Pick<RateRow, 'id' | 'sku'>>`
    insert into billing_rates (product, bundle, sku, unit_type, unit_size, price)
    select product, bundle, sku, unit_type, unit_size, price
    from jsonb_to_recordset(${JSON.stringify(rates)}::jsonb)
      as r(product text, bundle text, sku text, unit_type text, unit_size bigint, price float8)
    order by sku
    on conflict (sku, price) do update set unit_type = excluded.unit_type, bundle = excluded.bundle
    returning id, sku`.execute(tx);
  return new Map(rows.map(({ id, sku }) => [sku, id]));
}
