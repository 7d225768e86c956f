import { type Static, Type } from 'typebox';
import { Demanded, Nullable, OneOf, Refused, Timestamp, withDefault } from '#lib/shape.ts';
import { ReactionRollup } from '#resources/collaboration/reactions/index.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Rendered } from '#text/rendered-html.ts';

export const ReleaseAsset = Type.Object({
  url: Type.String(),
  browser_download_url: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  label: Nullable(Type.String()),
  state: OneOf(['uploaded']),
  content_type: Type.String(),
  size: Type.Integer(),
  digest: Nullable(Type.String()),
  download_count: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  uploader: Nullable(User),
});
export type ReleaseAsset = Static<typeof ReleaseAsset>;

export const Release = Type.Object({
  url: Type.String(),
  html_url: Type.String(),
  assets_url: Type.String(),
  upload_url: Type.String(),
  tarball_url: Nullable(Type.String()),
  zipball_url: Nullable(Type.String()),
  id: Type.Integer(),
  node_id: Type.String(),
  tag_name: Type.String(),
  target_commitish: Type.String(),
  name: Nullable(Type.String()),
  body: Type.Optional(Nullable(Type.String())),
  body_text: Type.Optional(Type.String()),
  body_html: Type.Optional(Rendered),
  draft: Type.Boolean(),
  prerelease: Type.Boolean(),
  immutable: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  published_at: Nullable(Timestamp),
  author: Nullable(User),
  assets: Type.Array(ReleaseAsset),
  reactions: ReactionRollup,
});
export type Release = Static<typeof Release>;

/** Tags are refs, whose names have their own limits. */
const tagName = Type.String({ minLength: 1, maxLength: 1_024 });
const commitish = Type.String({ maxLength: 1_024 });
/** The public API's limit. */
const body = Type.String({ maxLength: 125_000 });

/** `legacy`: the latest by date. */
export const latestChoices = ['true', 'false', 'legacy'] as const;

const texts = {
  name: Type.Optional(Nullable(Type.String({ maxLength: 1_024 }))),
  body: Type.Optional(Nullable(body)),
  target_commitish: Type.Optional(commitish),
  make_latest: Type.Optional(OneOf(latestChoices)),
  discussion_category_name: Type.Optional(Type.String({ maxLength: 255 })),
};

export const NewRelease = Type.Object(
  {
    tag_name: tagName,
    ...texts,
    draft: withDefault(Type.Boolean(), false),
    prerelease: withDefault(Type.Boolean(), false),
    generate_release_notes: withDefault(Type.Boolean(), false),
  },
  { title: 'Release' },
);
export type NewRelease = Static<typeof NewRelease>;

export const ReleaseChange = Type.Object(
  {
    tag_name: Type.Optional(tagName),
    ...texts,
    draft: Type.Optional(Type.Boolean()),
    prerelease: Type.Optional(Type.Boolean()),
  },
  { title: 'Release' },
);
export type ReleaseChange = Static<typeof ReleaseChange>;

export const NotesRequest = Type.Object(
  {
    tag_name: tagName,
    target_commitish: Type.Optional(commitish),
    previous_tag_name: Type.Optional(tagName),
    configuration_file_path: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  },
  { title: 'ReleaseNotes' },
);
export type NotesRequest = Static<typeof NotesRequest>;

export const ReleaseNotes = Type.Object({ name: Type.String(), body: Type.String() });
export type ReleaseNotes = Static<typeof ReleaseNotes>;

const fileName = { maxLength: 255 };
const label = Type.String({ maxLength: 255 });

/** The properties of an uploaded file. */
export const AssetQuery = Type.Object(
  { name: Demanded(Type.String(fileName)), label: Type.Optional(label) },
  { title: 'ReleaseAsset' },
);
export type AssetQuery = Static<typeof AssetQuery>;

export const AssetChange = Type.Object(
  { name: Type.Optional(Type.String(fileName)), label: Type.Optional(Nullable(label)), state: Refused('uploaded') },
  { title: 'ReleaseAsset' },
);
export type AssetChange = Static<typeof AssetChange>;
