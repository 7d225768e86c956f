import { normalizeScopes } from '#access/scopes.ts';
import type { AppRow } from '#resources/apps/index.ts';

/** The scopes or permissions that an app requests, as lines of the consent page. */
export function permissionLines(app: AppRow, scopes: readonly string[]): string[] {
  if (app.kind === 'oauth') return normalizeScopes(scopes);
  const held = app.permissions as Record<string, string>; // checkPermissions has validated it
  return Object.entries(held).map(([name, level]) => `${name.replaceAll('_', ' ')}: ${level}`);
}
