import { keyed } from '#lib/collections.ts';
import { timestamp } from '#lib/time.ts';
import { providerPatterns } from '../detection/patterns.ts';
import { versionOf } from './rules.ts';
import type { CustomPattern, PatternSetting, PatternSettings } from './schemas.ts';
import { customTokenType, providerTokenType } from './settings.ts';
import type { AlertCounts, PatternRow } from './store.ts';

export const presentPattern = (row: PatternRow): CustomPattern => ({
  id: row.id,
  name: row.name,
  pattern: row.expression,
  slug: row.slug,
  state: row.state,
  push_protection_enabled: row.push_protection,
  start_delimiter: row.start_delimiter,
  end_delimiter: row.end_delimiter,
  must_match: row.must_match,
  must_not_match: row.must_not_match,
  custom_pattern_version: versionOf(row),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

type Settings = {
  readonly version: string;
  readonly settings: ReadonlyMap<string, 'enabled' | 'disabled'>;
  readonly patterns: readonly PatternRow[];
};

const percentage = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((100 * part) / whole));

/** An organization's push protection setting for each pattern, with the share of correct alerts. */
export function presentSettings({ version, settings, patterns }: Settings, counts: readonly AlertCounts[]): PatternSettings {
  const byType = keyed(counts, ({ secret_type }) => secret_type);
  const all = counts.reduce((sum, { total }) => sum + total, 0);
  const statistics = (type: string) => {
    const { total = 0, false_positives = 0, bypassed = 0 } = byType.get(type) ?? {};
    return {
      alert_total: total,
      alert_total_percentage: percentage(total, all),
      false_positives,
      false_positive_rate: percentage(false_positives, total),
      bypass_rate: percentage(bypassed, total),
    };
  };
  const ofServer = { enterprise_setting: null };
  return {
    pattern_config_version: version,
    provider_pattern_overrides: providerPatterns.map(
      ({ type, name }): PatternSetting => ({
        token_type: providerTokenType(type),
        slug: type,
        display_name: name,
        ...statistics(type),
        default_setting: 'enabled',
        ...ofServer,
        setting: settings.get(type) ?? 'not-set',
      }),
    ),
    custom_pattern_overrides: patterns.map(
      (row): PatternSetting => ({
        token_type: customTokenType(row.id),
        custom_pattern_version: versionOf(row),
        slug: row.slug,
        display_name: row.name,
        ...statistics(row.slug),
        default_setting: 'disabled',
        ...ofServer,
        setting: row.push_protection ? 'enabled' : 'disabled',
      }),
    ),
  };
}
