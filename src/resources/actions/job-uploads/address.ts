// Addresses for the bytes of jobs, in the object store and from it. They need no other credential than their key, for a time: the
// clients that are given them send none.
import { openKey, sealKey } from '#lib/sealed-key.ts';
import type { Secrets } from '#lib/secrets.ts';

type Sealing = { readonly secrets: Secrets; readonly now: Date };

/** What an address is for. */
export type Purpose = 'upload' | 'artifact' | 'cache';

/** Below the root of the server. */
export const blobPath = '/api/results';

const contextOf = (purpose: Purpose): string => `job-uploads.${purpose}`;

/**
 * An address of an upload, an artifact or a cache. Clients know its key for a secret by the name `sig`, and keep it out of logs.
 * @param origin the address of the server, without a slash at its end
 * @param milliseconds how long it is good
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

/** Whether a key opens an address. */
export const opensBlob = ({ secrets, now }: Sealing, purpose: Purpose, { id, key }: { id: number; key: string }): boolean =>
  openKey(secrets, contextOf(purpose), { key, now }) === String(id);
