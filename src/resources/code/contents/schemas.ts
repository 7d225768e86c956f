import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { GitCommit, ObjectLink } from '#resources/code/commits/index.ts';
import { AnyPerson, NamedPerson } from '#resources/code/git-data/index.ts';
import { SimpleLicense } from '#resources/repositories/licenses/index.ts';

const nullableUrl = Nullable(Type.String());

/** The common fields of all kinds of entries. */
const entry = {
  name: Type.String(),
  path: Type.String(),
  sha: Type.String(),
  size: Type.Integer(),
  url: Type.String(),
  html_url: nullableUrl,
  git_url: nullableUrl,
  download_url: nullableUrl,
  _links: Type.Object({ self: Type.String(), git: nullableUrl, html: nullableUrl }),
};

export const entryTypes = ['file', 'dir', 'symlink', 'submodule'] as const;

/** An entry in the listing of a folder. */
export const ContentEntry = Type.Object({ type: OneOf(entryTypes), ...entry });
export type ContentEntry = Static<typeof ContentEntry>;

export const ContentFile = Type.Object({
  type: OneOf(['file']),
  encoding: OneOf(['base64', 'none']),
  ...entry,
  content: Type.String(),
});
export type ContentFile = Static<typeof ContentFile>;

export const ContentSymlink = Type.Object({ type: OneOf(['symlink']), target: Type.String(), ...entry });
export type ContentSymlink = Static<typeof ContentSymlink>;

export const ContentSubmodule = Type.Object({ type: OneOf(['submodule']), submodule_git_url: Type.String(), ...entry });
export type ContentSubmodule = Static<typeof ContentSubmodule>;

/** A folder as an object, for the media type `object`. */
export const ContentFolder = Type.Object({ type: OneOf(['dir']), ...entry, entries: Type.Array(ContentEntry) });
export type ContentFolder = Static<typeof ContentFolder>;

/** A license file, with its license. */
export const LicenseContent = Type.Object({ ...ContentFile.properties, license: SimpleLicense });

/** The content at a path. */
export const Content = Type.Union([Type.Array(ContentEntry), ContentFolder, ContentFile, ContentSymlink, ContentSubmodule]);

const message = Type.String({ maxLength: 1_000_000 });
const sha = Type.String({ pattern: '^[0-9a-fA-F]{40}$' });
const branch = Type.String({ minLength: 1, maxLength: 1024 });

export const FileWrite = Type.Object(
  {
    message,
    content: Type.String(),
    sha: Type.Optional(sha),
    branch: Type.Optional(branch),
    committer: Type.Optional(NamedPerson),
    author: Type.Optional(NamedPerson),
  },
  { title: 'File' },
);
export type FileWrite = Static<typeof FileWrite>;

export const FileRemoval = Type.Object(
  {
    message,
    sha,
    branch: Type.Optional(branch),
    committer: Type.Optional(AnyPerson),
    author: Type.Optional(AnyPerson),
  },
  { title: 'File' },
);
export type FileRemoval = Static<typeof FileRemoval>;

/** The result of a change: the current file, and the commit that changed it. */
export const FileCommit = Type.Object({ content: Nullable(ContentEntry), commit: GitCommit });

/** A tag of a repository, with its commit. */
export const RepositoryTag = Type.Object({
  name: Type.String(),
  node_id: Type.String(),
  commit: ObjectLink,
  zipball_url: Type.String(),
  tarball_url: Type.String(),
});

const HealthFile = Type.Object({ url: Type.String(), html_url: Type.String() });
export type HealthFile = Static<typeof HealthFile>;

/** The information of a repository for contributors. */
export const CommunityProfile = Type.Object({
  health_percentage: Type.Integer({ minimum: 0, maximum: 100 }),
  description: Nullable(Type.String()),
  documentation: Nullable(Type.String()),
  files: Type.Object({
    /** Hearth has no list of codes of conduct. The address is the file's. */
    code_of_conduct: Nullable(Type.Object({ key: Type.String(), name: Type.String(), ...HealthFile.properties })),
    code_of_conduct_file: Nullable(HealthFile),
    contributing: Nullable(HealthFile),
    issue_template: Nullable(HealthFile),
    pull_request_template: Nullable(HealthFile),
    license: Nullable(SimpleLicense),
    readme: Nullable(HealthFile),
  }),
  updated_at: Nullable(Timestamp),
  content_reports_enabled: Type.Optional(Type.Boolean()),
});
export type CommunityProfile = Static<typeof CommunityProfile>;
