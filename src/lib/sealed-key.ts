import type { Secrets } from './secrets.ts';

/**
 * A key for an address that needs no credential until a time. It is sealed under the server's secret: nobody else can make one, and it
 * tells nothing of what it opens.
 * @param context where it belongs, so that nothing else that the server has sealed can be given for one
 */
export const sealKey = (secrets: Secrets, context: string, { text, until }: { text: string; until: Date }): string =>
  secrets.seal(`${until.getTime()} ${text}`, context).toString('base64url');

/** The text of a key; undefined where it was changed, made by somebody else, or has expired. */
export function openKey(secrets: Secrets, context: string, { key, now }: { key: string; now: Date }): string | undefined {
  const bytes = Buffer.from(key, 'base64url');
  // One address has one form.
  if (bytes.toString('base64url') !== key) return undefined;
  try {
    const [, until, text] = /^(\d+) (.*)$/s.exec(secrets.openText(bytes, context)) ?? [];
    return Number(until) > now.getTime() ? text : undefined;
  } catch {
    return undefined; // it isn't ours
  }
}
