import { asId, type Id } from '#lib/id.ts';
import type { Secrets } from '#lib/secrets.ts';

/** Where such a key belongs, so that nothing else that the server has sealed can be given for one. */
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

/**
 * The key in an address from which an archive can be downloaded until a time, without a credential. It is sealed under the server's
 * secret: nobody else can make one, and it tells nothing of what it opens.
 */
export const keyOfArchive = (secrets: Secrets, migration: Id<'migrations'>, until: Date): string =>
  secrets.seal(`${migration} ${until.getTime()}`, context).toString('base64url');

/** The migration that a key opens; undefined where it was changed, made by somebody else, or has expired. */
export function migrationOfKey(secrets: Secrets, key: string, now: Date): Id<'migrations'> | undefined {
  const [id = Number.NaN, until = 0] = opened(secrets, key).split(' ').map(Number);
  return Number.isSafeInteger(id) && until > now.getTime() ? asId<'migrations'>(id) : undefined;
}

function opened(secrets: Secrets, key: string): string {
  const bytes = Buffer.from(key, 'base64url');
  // One address has one form.
  if (bytes.toString('base64url') !== key) return '';
  try {
    return secrets.openText(bytes, context);
  } catch {
    return ''; // it isn't ours
  }
}
