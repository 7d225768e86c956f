import { normalizeScopes } from '#access/scopes.ts';
import type { AppRow } from '#resources/apps/index.ts';

/** What an app asks for, as lines of text for the page of consent. */
export function permissionLines(app: AppRow, scopes: readonly string[]): string[] {
  if (app.kind === 'oauth') return normalizeScopes(scopes);
  const held = app.permissions as Record<string, string>; // what checkPermissions let in
  return Object.entries(held).map(([name, level]) => `${name.replaceAll('_', ' ')}: ${level}`);
}
