import { type Static, Type } from 'typebox';
import { changeStatuses } from '#git/history/changes.ts';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { Verification } from '#resources/code/commit-verification/index.ts';
import { User } from '#resources/identity/accounts/index.ts';

/** The author, committer or tagger of a commit or tag. */
export const GitPerson = Type.Object({ name: Type.String(), email: Type.String(), date: Timestamp });
export type GitPerson = Static<typeof GitPerson>;

export const ObjectLink = Type.Object({ sha: Type.String(), url: Type.String() });
export const CommitLink = Type.Object({ ...ObjectLink.properties, html_url: Type.String() });

/** A file that a commit or a comparison changed. */
export const DiffEntry = Type.Object({
  sha: Nullable(Type.String()),
  filename: Type.String(),
  status: OneOf(changeStatuses),
  additions: Type.Integer(),
  deletions: Type.Integer(),
  changes: Type.Integer(),
  blob_url: Type.String(),
  raw_url: Type.String(),
  contents_url: Type.String(),
  patch: Type.Optional(Type.String()),
  previous_filename: Type.Optional(Type.String()),
});
export type DiffEntry = Static<typeof DiffEntry>;

/** A commit in lists. */
export const Commit = Type.Object({
  sha: Type.String(),
  node_id: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  comments_url: Type.String(),
  commit: Type.Object({
    url: Type.String(),
    author: GitPerson,
    committer: GitPerson,
    message: Type.String(),
    comment_count: Type.Integer(),
    tree: ObjectLink,
    verification: Verification,
  }),
  author: Nullable(User),
  committer: Nullable(User),
  parents: Type.Array(CommitLink),
});
export type Commit = Static<typeof Commit>;

/** One commit with its changes. */
export const FullCommit = Type.Object({
  ...Commit.properties,
  stats: Type.Object({ total: Type.Integer(), additions: Type.Integer(), deletions: Type.Integer() }),
  files: Type.Array(DiffEntry),
});
export type FullCommit = Static<typeof FullCommit>;

export const comparisonStatuses = ['diverged', 'ahead', 'behind', 'identical'] as const;

export const Comparison = Type.Object({
  url: Type.String(),
  html_url: Type.String(),
  permalink_url: Type.String(),
  diff_url: Type.String(),
  patch_url: Type.String(),
  base_commit: Commit,
  merge_base_commit: Commit,
  status: OneOf(comparisonStatuses),
  ahead_by: Type.Integer(),
  behind_by: Type.Integer(),
  total_commits: Type.Integer(),
  commits: Type.Array(Commit),
  files: Type.Array(DiffEntry),
});
export type Comparison = Static<typeof Comparison>;

/** A Git commit object, without the accounts of its e-mail addresses. */
export const GitCommit = Type.Object({
  sha: Type.String(),
  node_id: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  author: GitPerson,
  committer: GitPerson,
  message: Type.String(),
  tree: ObjectLink,
  parents: Type.Array(CommitLink),
  verification: Verification,
});
export type GitCommit = Static<typeof GitCommit>;

/** A contributor: an account, or a name and an e-mail address without an account. */
export const Contributor = Type.Union([
  Type.Object({ ...User.properties, contributions: Type.Integer() }),
  Type.Object({
    type: OneOf(['Anonymous']),
    name: Type.String(),
    email: Type.String(),
    contributions: Type.Integer(),
  }),
]);
