import { change } from '#database/connect.ts';
import { type AppRow, knownClientAppOf, knownClientOf } from '#resources/repositories/apps/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { findAppByClientId } from './store.ts';

/**
 * The app with a client id. Programs whose ids are built in are apps, too, unless the operator turned them off: then nobody signs
 * in by them, and tokens that they have stay good.
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

/** Whether a client is public: it can't prove who it is, since it has no secret of its own. */
export const isPublicClient = ({ client_id, built_in }: AppRow): boolean =>
  built_in !== null && knownClientOf(client_id) !== undefined;
