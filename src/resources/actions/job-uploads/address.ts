// Addresses for the bytes of jobs, to and from the object store. They contain a temporary key and need no other credential, since
// the clients that get them send none.
import { openKey, sealKey } from '#lib/sealed-key.ts';
import type { Secrets } from '#lib/secrets.ts';

type Sealing = { readonly secrets: Secrets; readonly now: Date };

/** What an address gives access to. */
export type Purpose = 'upload' | 'artifact' | 'cache';

/** The path below the root of the server. */
export const blobPath = '/api/results';

const contextOf = (purpose: Purpose): string => `job-uploads.${purpose}`;

/**
 * An address of an upload, an artifact or a cache. Clients recognize its key as a secret by the name `sig`, and keep it out of
 * logs.
 * @param origin the address of the server, without a trailing slash
 * @param milliseconds how long the address is valid
 */
export function blobAddress(
  { secrets, now }: Sealing,
  purpose: Purpose,
  { origin, id, milliseconds }: { origin: string; id: number; milliseconds: number },
): string {
  const until = new Date(now.getTime() + milliseconds);
  const key = sealKey(secrets, contextOf(purpose), { text: String(id), until });
  return `${origin}${blobPath}/${purpose}s/${id}?sig=${key}`;
}

/** Whether the key of an address is valid. */
export const opensBlob = ({ secrets, now }: Sealing, purpose: Purpose, { id, key }: { id: number; key: string }): boolean =>
  openKey(secrets, contextOf(purpose), { key, now }) === String(id);
