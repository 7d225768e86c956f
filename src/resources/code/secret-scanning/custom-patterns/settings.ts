// The names in pattern configurations, and their version.
import { createHash } from 'node:crypto';
import type { Id } from '#lib/id.ts';
import type { PatternRow } from './store.ts';

/** The id of a known form in pattern configurations. */
export const providerTokenType = (type: string): string => type.toUpperCase();

/** The id of a custom pattern in pattern configurations. */
export const customTokenType = (id: Id<'secret_patterns'>): string => `cp_${id}`;

type Settings = ReadonlyMap<string, 'enabled' | 'disabled'>;

/** The version of all settings together: the same as long as they say the same. */
export function versionOfSettings(settings: Settings, patterns: readonly Pick<PatternRow, 'id' | 'push_protection'>[]): string {
  const on = patterns.flatMap(({ id, push_protection }) => (push_protection ? [id] : []));
  const content = JSON.stringify([[...settings], on]);
  return createHash('sha256').update(content).digest('base64url').slice(0, 27);
}
