import { normalizeScopes } from '#access/scopes.ts';
import type { AppRow } from '#resources/repositories/apps/index.ts';

/** The scopes or permissions that an app requests, as lines of the consent page. */
export function permissionLines(app: AppRow, scopes: readonly string[]): string[] {
  if (app.kind === 'oauth') return normalizeScopes(scopes);
  return linesOf(app.permissions as Record<string, string>); // checkPermissions has validated it
}

/** Permissions as lines of a page. */
export const linesOf = (held: Readonly<Record<string, string>>): string[] =>
  Object.entries(held).map(([name, level]) => `${name.replaceAll('_', ' ')}: ${level}`);
