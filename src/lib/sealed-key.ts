import type { Secrets } from './secrets.ts';

/**
 * A key for an address that needs no credential until a given time. It is sealed with the server's secret, so nobody else can
 * make one, and it doesn't reveal its content.
 * @param context the purpose of the key, so that other sealed values aren't accepted as keys
 */
export const sealKey = (secrets: Secrets, context: string, { text, until }: { text: string; until: Date }): string =>
  secrets.seal(`${until.getTime()} ${text}`, context).toString('base64url');

/** The text of a key; undefined if the key was changed, wasn't made by this server, or has expired. */
export function openKey(secrets: Secrets, context: string, { key, now }: { key: string; now: Date }): string | undefined {
  const bytes = Buffer.from(key, 'base64url');
  // Each address has only one valid form.
  if (bytes.toString('base64url') !== key) return undefined;
  try {
    const [, until, text] = /^(\d+) (.*)$/s.exec(secrets.openText(bytes, context)) ?? [];
    return Number(until) > now.getTime() ? text : undefined;
  } catch {
    return undefined; // this server didn't make it
  }
}
