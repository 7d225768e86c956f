import pg from 'pg';
import type { Address } from '#database/connect.ts';
import { clientConfig } from '#database/connect.ts';

/** A statement as it was sent. */
export type Statement = { text: string; values: readonly unknown[] };

/** Records the statements with values that `work` sends on any connection. */
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

/** What PostgreSQL says of a statement that it ran. */
export type Explained = { buffers: number; milliseconds: number; plan: string };

export type Explainer = AsyncDisposable & { explain(statement: Statement): Promise<Explained> };

/** Runs statements again, planned for all values as on the connections that requests share, and rolls back what they change. */
export async function openExplainer(address: Address): Promise<Explainer> {
  const client = new pg.Client(clientConfig(address));
  await client.connect();
  await client.query('set plan_cache_mode = force_generic_plan');
  return {
    async explain({ text, values }) {
      await client.query('begin');
      try {
        await client.query(`prepare explained as ${text}`);
        const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
        const { rows } = await client.query(`explain (analyze, buffers) execute explained${given}`);
        const plan = rows.map((row: { 'QUERY PLAN': string }) => row['QUERY PLAN']).join('\n');
        // The first line with buffers is that of the whole statement.
        const buffers = /Buffers: (.*)/.exec(plan)?.[1] ?? '';
        const pages = [...buffers.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
        return { buffers: pages, milliseconds: Number(/Execution Time: ([\d.]+)/.exec(plan)?.[1]), plan };
      } finally {
        await client.query('rollback');
        await client.query('deallocate all');
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join(',')}}`);
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  return pg.escapeLiteral(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A value in the text of an array. */
function element(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return JSON.stringify(value instanceof Date ? value.toISOString() : String(value));
}
