import { type Static, Type } from 'typebox';
import { idOf } from '#endpoint/path-words.ts';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';

const states = ['published', 'unpublished'] as const;

export const CustomPattern = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  pattern: Type.String(),
  slug: Type.String(),
  state: OneOf(states),
  push_protection_enabled: Type.Boolean(),
  start_delimiter: Type.String(),
  end_delimiter: Type.String(),
  must_match: Type.Array(Type.String()),
  must_not_match: Type.Array(Type.String()),
  custom_pattern_version: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type CustomPattern = Static<typeof CustomPattern>;

export const PatternQuery = Type.Object({
  state: Type.Optional(OneOf(states)),
  push_protection: Type.Optional(OneOf(['enabled', 'disabled'])),
  sort: withDefault(OneOf(['created', 'updated', 'name']), 'created'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
});

const Expression = Type.String({ maxLength: 2_000 });
const Further = Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: 10 });
/** A text in which the pattern must find a secret. */
const TestString = Nullable(Type.String({ minLength: 1, maxLength: 4_096 }));
const Version = Nullable(Type.String({ maxLength: 100 }));

/** How many patterns one request makes: each is tried before. */
const maxNew = 25;

export const NewCustomPattern = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  pattern: Type.String({ minLength: 1, maxLength: 2_000 }),
  start_delimiter: withDefault(Expression, '\\A|[^0-9A-Za-z]'),
  end_delimiter: withDefault(Expression, '\\z|[^0-9A-Za-z]'),
  must_match: withDefault(Further, []),
  must_not_match: withDefault(Further, []),
  test_string: Type.Optional(TestString),
  state: withDefault(OneOf(states), 'published'),
});
export type NewCustomPattern = Static<typeof NewCustomPattern>;

export const NewCustomPatterns = Type.Object(
  { patterns: Type.Array(NewCustomPattern, { minItems: 1, maxItems: maxNew }) },
  { title: 'CustomPattern' },
);

export const CreatedPatterns = Type.Object({ created_patterns: Type.Array(CustomPattern) });

export const CustomPatternChange = Type.Object(
  {
    custom_pattern_version: Version,
    pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    start_delimiter: Type.Optional(Expression),
    end_delimiter: Type.Optional(Expression),
    must_match: Type.Optional(Further),
    must_not_match: Type.Optional(Further),
    test_string: Type.Optional(TestString),
    state: Type.Optional(OneOf(states)),
  },
  { title: 'CustomPattern', minProperties: 2 },
);
export type CustomPatternChange = Static<typeof CustomPatternChange>;

export const PatternDeletion = Type.Object(
  {
    patterns: Type.Array(Type.Object({ pattern_id: idOf('secret_patterns'), custom_pattern_version: Type.Optional(Version) }), {
      minItems: 1,
      maxItems: 500,
    }),
    post_delete_action: withDefault(OneOf(['delete_alerts', 'resolve_alerts']), 'delete_alerts'),
  },
  { title: 'CustomPattern' },
);
export type PatternDeletion = Static<typeof PatternDeletion>;

const settings = ['not-set', 'disabled', 'enabled'] as const;
const switches = ['disabled', 'enabled'] as const;

const PatternSetting = Type.Object({
  token_type: Type.String(),
  custom_pattern_version: Type.Optional(Type.String()),
  slug: Type.String(),
  display_name: Type.String(),
  alert_total: Type.Integer(),
  alert_total_percentage: Type.Integer(),
  false_positives: Type.Integer(),
  false_positive_rate: Type.Integer(),
  bypass_rate: Type.Integer(),
  default_setting: OneOf(switches),
  enterprise_setting: Type.Null(),
  setting: OneOf(settings),
});
export type PatternSetting = Static<typeof PatternSetting>;

export const PatternSettings = Type.Object({
  pattern_config_version: Type.String(),
  provider_pattern_overrides: Type.Array(PatternSetting),
  custom_pattern_overrides: Type.Array(PatternSetting),
});
export type PatternSettings = Static<typeof PatternSettings>;

const TokenType = Type.String({ minLength: 1, maxLength: 200 });

export const PatternSettingsChange = Type.Object(
  {
    pattern_config_version: Type.Optional(Version),
    provider_pattern_settings: withDefault(
      Type.Array(Type.Object({ token_type: TokenType, push_protection_setting: OneOf(settings) }), { maxItems: 500 }),
      [],
    ),
    custom_pattern_settings: withDefault(
      Type.Array(
        Type.Object({
          token_type: TokenType,
          custom_pattern_version: Type.Optional(Version),
          push_protection_setting: OneOf(switches),
        }),
        { maxItems: 500 },
      ),
      [],
    ),
  },
  { title: 'PatternConfiguration' },
);
export type PatternSettingsChange = Static<typeof PatternSettingsChange>;

export const ChangedSettings = Type.Object({ pattern_config_version: Type.String() });
