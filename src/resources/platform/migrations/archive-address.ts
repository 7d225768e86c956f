import { asId, type Id } from '#lib/id.ts';
import { openKey, sealKey } from '#lib/sealed-key.ts';
import type { Secrets } from '#lib/secrets.ts';

/** Where such a key belongs. */
const context = 'migrations.archive';

/**
 * Until when a key opens what it was made for: for the time that the limit says, or half of it at least. Within one period, an
 * address that a client has already is as good as a new one.
 */
export function timeOfKey(now: Date, linkTime: number): { until: Date; period: number } {
  const half = linkTime / 2;
  const period = Math.floor(now.getTime() / half);
  return { until: new Date((period + 2) * half), period };
}

/** The key in an address from which an archive can be downloaded until a time, without a credential. */
export const keyOfArchive = (secrets: Secrets, migration: Id<'migrations'>, until: Date): string =>
  sealKey(secrets, context, { text: String(migration), until });

/** The migration that a key opens; undefined where it was changed, made by somebody else, or has expired. */
export function migrationOfKey(secrets: Secrets, key: string, now: Date): Id<'migrations'> | undefined {
  const text = openKey(secrets, context, { key, now });
  return text === undefined ? undefined : asId<'migrations'>(Number(text));
}
