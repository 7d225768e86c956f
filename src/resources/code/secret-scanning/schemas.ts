import { type Static, Type } from 'typebox';
import { each, Nullable, OneOf, Refused, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { SimpleRepository } from '#resources/repositories/repositories/index.ts';

const alertStates = ['open', 'resolved'] as const;
export const resolutions = ['false_positive', 'wont_fix', 'revoked', 'used_in_tests'] as const;
const validities = ['active', 'inactive', 'unknown'] as const;

const FileLocation = Type.Object({
  path: Type.String(),
  ...each(['start_line', 'end_line', 'start_column', 'end_column'], Type.Integer()),
  ...each(['blob_sha', 'blob_url', 'commit_sha', 'commit_url', 'html_url'], Type.String()),
});
type FileLocation = Static<typeof FileLocation>;

const textTypes = [
  'issue_title',
  'issue_body',
  'issue_comment',
  'pull_request_title',
  'pull_request_body',
  'pull_request_comment',
  'pull_request_review',
  'pull_request_review_comment',
] as const;
export type TextType = (typeof textTypes)[number];

/** A location in a text. The field for its API address contains the name of its type. */
export type TextDetails = { readonly [Type in TextType as `${Type}_url`]?: string } & { readonly html_url: string };

export const LocationDetails = Type.Unsafe<FileLocation | TextDetails>(
  Type.Union([FileLocation, ...textTypes.map((type) => Type.Object(each([`${type}_url`, 'html_url'], Type.String())))]),
);
export type LocationDetails = Static<typeof LocationDetails>;

export const AlertLocation = Type.Object({ type: OneOf(['commit', ...textTypes]), details: LocationDetails });
export type AlertLocation = Static<typeof AlertLocation>;

/** An alert in payloads, without the secret. */
export const SecretAlertInPayload = Type.Object({
  number: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  ...each(['url', 'html_url', 'locations_url'], Type.String()),
  resolution: Nullable(Type.String()),
  resolved_at: Nullable(Timestamp),
  resolved_by: Nullable(User),
  resolution_comment: Nullable(Type.String()),
  secret_type: Type.String(),
  secret_type_display_name: Type.String(),
  provider: Nullable(Type.String()),
  provider_slug: Nullable(Type.String()),
  push_protection_bypassed: Type.Boolean(),
  push_protection_bypassed_by: Nullable(User),
  push_protection_bypassed_at: Nullable(Timestamp),
  validity: OneOf(validities),
  publicly_leaked: Type.Boolean(),
  multi_repo: Type.Boolean(),
  assigned_to: Nullable(User),
});
export type SecretAlertInPayload = Static<typeof SecretAlertInPayload>;

export const SecretAlert = Type.Object({
  ...SecretAlertInPayload.properties,
  state: OneOf(alertStates),
  secret: Type.Optional(Type.String()),
  is_base64_encoded: Type.Boolean(),
  first_location_detected: Type.Optional(LocationDetails),
  has_more_locations: Type.Boolean(),
});
export type SecretAlert = Static<typeof SecretAlert>;

export const OrganizationSecretAlert = Type.Object({ ...SecretAlert.properties, repository: SimpleRepository });

const words = Type.Optional(Type.String({ maxLength: 4_096 }));

export const HideSecret = Type.Object({ hide_secret: withDefault(Type.Boolean(), false) });

export const AlertQuery = Type.Object({
  state: Type.Optional(OneOf(alertStates)),
  ...each(['secret_type', 'exclude_secret_types', 'exclude_providers', 'providers', 'resolution', 'validity'], words),
  assignee: Type.Optional(Type.String({ maxLength: 255 })),
  sort: withDefault(OneOf(['created', 'updated']), 'created'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
  is_publicly_leaked: withDefault(Type.Boolean(), false),
  is_multi_repo: withDefault(Type.Boolean(), false),
  is_bypassed: Type.Optional(Type.Boolean()),
  owner_email_hash: Refused(),
  ...HideSecret.properties,
});
export type AlertQuery = Static<typeof AlertQuery>;

export const AlertChange = Type.Object(
  {
    state: Type.Optional(OneOf(alertStates)),
    resolution: Type.Optional(Nullable(OneOf(resolutions))),
    resolution_comment: Type.Optional(Nullable(Type.String({ maxLength: 1_024 }))),
    assignee: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
    validity: Type.Optional(Nullable(OneOf(['active', 'inactive']))),
  },
  { title: 'SecretScanningAlert', minProperties: 1 },
);
export type AlertChange = Static<typeof AlertChange>;

const Scan = Type.Object({
  type: Type.String(),
  status: Type.String(),
  started_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
});

const CustomPatternScan = Type.Object({ ...Scan.properties, ...each(['pattern_name', 'pattern_scope'], Type.String()) });

export const ScanHistory = Type.Object({
  ...each(['incremental_scans', 'pattern_update_scans', 'backfill_scans'], Type.Array(Scan)),
  custom_pattern_backfill_scans: Type.Array(CustomPatternScan),
});
export type ScanHistory = Static<typeof ScanHistory>;

const bypassReasons = ['false_positive', 'used_in_tests', 'will_fix_later'] as const;

export const NewBypass = Type.Object(
  { reason: OneOf(bypassReasons), placeholder_id: Type.String({ minLength: 1, maxLength: 100 }) },
  { title: 'PushProtectionBypass' },
);
export type NewBypass = Static<typeof NewBypass>;

export const Bypass = Type.Object({ reason: OneOf(bypassReasons), expire_at: Timestamp, token_type: Type.String() });
export type Bypass = Static<typeof Bypass>;
