import { change } from '#database/connect.ts';
import { type AppRow, knownClientAppOf, knownClientOf } from '#resources/repositories/apps/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { findAppByClientId } from './store.ts';

/**
 * The app with a client id. Programs with built-in ids are apps too, unless the operator turned them off: then nobody can sign in
 * with them, but their existing tokens stay valid.
 */
export async function findClient(
  { database: { db }, services, clock }: Pick<RouteParts, 'database' | 'services' | 'clock'>,
  clientId: string,
): Promise<AppRow | undefined> {
  const app = await findAppByClientId(db, clientId);
  const known = knownClientOf(clientId);
  if (!known || app?.built_in === null) return app;
  if (!services.knownClients.includes(known)) return undefined;
  return app ?? change(db, (tx) => knownClientAppOf(tx, known, clock()));
}

/** Whether a client is public, which means that it can't authenticate, since it has no secret of its own. */
export const isPublicClient = ({ client_id, built_in }: AppRow): boolean =>
  built_in !== null && knownClientOf(client_id) !== undefined;
