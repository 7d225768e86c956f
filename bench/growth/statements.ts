import pg from 'pg';
import type { Address } from '#database/connect.ts';
import { clientConfig } from '#database/connect.ts';

/** A statement as it was sent. */
export type Statement = { text: string; values: readonly unknown[] };

/** Records the statements and values that `work` sends on any connection. */
export async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, first: unknown, values: unknown, ...rest: unknown[]) {
    const text = typeof first === 'string' ? first : (first as { text?: string }).text;
    if (text && /^\s*(select|with)\b/i.test(text)) sent.push({ text, values: Array.isArray(values) ? values : [] });
    return query.apply(this, [first, values, ...rest] as never);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return sent;
}

/** PostgreSQL's figures about a statement that it ran. */
export type Explained = { text: string; buffers: number; milliseconds: number; plan: string };

/**
 * Runs the statements of a request again and rolls back their changes. They are planned for all values as on the shared
 * connections, or as the request itself set it.
 */
export async function explain(address: Address, statements: readonly Statement[]): Promise<Explained[]> {
  const client = new pg.Client(clientConfig(address));
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query('begin');
    const explained: Explained[] = [];
    for (const { text, values } of statements) {
      await client.query(`prepare explained as ${text}`);
      const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
      const { rows } = await client.query(`explain (analyze, buffers) execute explained${given}`);
      await client.query('deallocate explained');
      const plan = rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']).join('\n');
      // The first line with buffers belongs to the whole statement.
      const read = [...(/Buffers: (.*)/.exec(plan)?.[1] ?? '').matchAll(/(?:hit|read)=(\d+)/g)];
      const buffers = read.reduce((sum, [, count]) => sum + Number(count), 0);
      explained.push({ text, buffers, milliseconds: Number(/Execution Time: ([\d.]+)/.exec(plan)?.[1]), plan });
    }
    return explained;
  } finally {
    await client.end();
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join(',')}}`);
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  return pg.escapeLiteral(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A value in the text format of arrays. */
function element(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return JSON.stringify(value instanceof Date ? value.toISOString() : String(value));
}
