import { sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import { insertAccount } from '#resources/identity/accounts/index.ts';
import { type KnownClient, knownClients } from './client-ids.ts';
import { type AppRow, findBuiltInApp, insertApp } from './store.ts';

/**
 * The OAuth app of a program with a built-in client id. It is created on first use, and belongs to its own bot. It has no client
 * secret, since the program's secret is published and would let anybody act as the app.
 */
export async function knownClientAppOf(tx: Tx, client: KnownClient, now: Date): Promise<AppRow> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`known client ${client}`}, 0))`.execute(tx);
  const known = await findBuiltInApp(tx, client);
  if (known) return known;
  const { id, name, url, callbacks } = knownClients[client];
  const times = { created_at: now, updated_at: now };
  // A client id can't be anybody else's slug.
  const bot = await insertAccount(tx, { kind: 'bot', login: `${id}[bot]`, ...times });
  return insertApp(tx, {
    kind: 'oauth',
    built_in: client,
    owner_id: bot.id,
    bot_id: bot.id,
    name,
    slug: id,
    external_url: url,
    callback_urls: [...callbacks],
    client_id: id,
    device_flow: true,
    ...times,
  });
}
