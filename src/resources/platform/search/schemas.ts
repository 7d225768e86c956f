import { type Static, type TProperties, Type } from 'typebox';
import { Nullable, OneOf } from '#lib/shape.ts';
import { Commit } from '#resources/code/commits/index.ts';
import { Issue } from '#resources/collaboration/issues/index.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';
import { searchTypes } from '#search/index.ts';

/** Document 1, text match entries; `indices` count UTF-16 code units within the fragment, as the public API's do. */
export const TextMatch = Type.Object({
  object_url: Type.String(),
  object_type: Nullable(Type.String()),
  property: Type.String(),
  fragment: Type.String(),
  matches: Type.Array(Type.Object({ text: Type.String(), indices: Type.Array(Type.Integer()) })),
});
export type TextMatch = Static<typeof TextMatch>;

/** The repository of a code hit. Three of its fields become null in a newer version (document 1, rule 10). */
const CodeRepository = Type.Object({
  ...MinimalRepository.properties,
  owner: Type.Object({ ...User.properties, type: Nullable(User.properties.type), node_id: Nullable(Type.String()) }),
});

export const CodeItem = Type.Object({
  name: Type.String(),
  path: Type.String(),
  sha: Type.String(),
  url: Type.String(),
  git_url: Type.String(),
  html_url: Type.String(),
  repository: CodeRepository,
  score: Type.Number(),
  file_size: Type.Integer(),
  language: Nullable(Type.String()),
  text_matches: Type.Optional(Type.Array(TextMatch)),
});
export type CodeItem = Static<typeof CodeItem>;

export const CommitItem = Type.Object({
  ...Commit.properties,
  repository: MinimalRepository,
  score: Type.Number(),
  text_matches: Type.Optional(Type.Array(TextMatch)),
});
export type CommitItem = Static<typeof CommitItem>;

export const RepositoryItem = Type.Object({
  ...MinimalRepository.properties,
  score: Type.Number(),
  text_matches: Type.Optional(Type.Array(TextMatch)),
});
export type RepositoryItem = Static<typeof RepositoryItem>;

export const UserItem = Type.Object({
  ...User.properties,
  score: Type.Number(),
  text_matches: Type.Optional(Type.Array(TextMatch)),
});
export type UserItem = Static<typeof UserItem>;

/** Hits don't have these; only the issue itself does. */
const { closed_by: _, parent_issue_url: __, ...issueFields } = Issue.properties;

export const IssueItem = Type.Object({
  ...issueFields,
  score: Type.Number(),
  text_matches: Type.Optional(Type.Array(TextMatch)),
});
export type IssueItem = Static<typeof IssueItem>;

/** Document 1, search result envelope. */
export const found = <P extends TProperties>(item: ReturnType<typeof Type.Object<P>>) =>
  Type.Object({ total_count: Type.Integer(), incomplete_results: Type.Boolean(), items: Type.Array(item) });

export const FoundIssues = Type.Object({
  ...found(IssueItem).properties,
  /** The type of search that was used (document 1). */
  search_type: Type.Optional(OneOf(searchTypes)),
  lexical_fallback_reason: Type.Optional(Type.Array(Type.String())),
});
