import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Rendered } from '#text/rendered-html.ts';

/** A ref, its commit, and a path there. */
export const ShownLocation = Type.Object({
  ref: Type.String(),
  ref_type: OneOf(['branch', 'tag', 'commit']),
  sha: Type.String(),
  path: Type.String(),
});
export type ShownLocation = Static<typeof ShownLocation>;

const entryKinds = ['file', 'dir', 'symlink', 'submodule'] as const;

/** A commit beside a file or a folder. */
export const CommitLine = Type.Object({ sha: Type.String(), title: Type.String(), date: Timestamp });
export type CommitLine = Static<typeof CommitLine>;

/** The last commit of what a page shows. */
export const LastCommit = Type.Object({ ...CommitLine.properties, author: Nullable(User), author_name: Type.String() });
export type LastCommit = Static<typeof LastCommit>;

export const FolderEntry = Type.Object({
  name: Type.String(),
  path: Type.String(),
  type: OneOf(entryKinds),
  sha: Type.String(),
  /** Where a submodule leads on this server. */
  html_url: Nullable(Type.String()),
  commit: Nullable(CommitLine),
});
export type FolderEntry = Static<typeof FolderEntry>;

/** A rendered file, or its text as it was written. */
const RenderedFile = Type.Object({ name: Type.String(), path: Type.String(), html: Nullable(Rendered) });

/** A folder with what stands in it. Whatever else is at the address has a type and nothing more. */
export const ShownFolder = Type.Object({
  ...ShownLocation.properties,
  type: OneOf(entryKinds),
  entries: Type.Array(FolderEntry),
  is_cut: Type.Boolean(),
  last_commit: Nullable(LastCommit),
  readme: Nullable(RenderedFile),
});
export type ShownFolder = Static<typeof ShownFolder>;

const Names = Type.Object({ names: Type.Array(Type.String()), is_cut: Type.Boolean() });

/** The names of branches and tags for the menu, the first ones. */
export const RefNames = Type.Object({ branches: Names, tags: Names });
export type RefNames = Static<typeof RefNames>;

/** The front page of a repository. */
export const RepositoryOverview = Type.Object({
  folder: Nullable(ShownFolder),
  commits: Type.Integer(),
  license_path: Nullable(Type.String()),
  languages: Type.Array(Type.Object({ name: Type.String(), share: Type.Number(), color: Type.String() })),
  contributors: Type.Array(User),
});

/** Lines of source code, each as HTML without a line break. */
export const CodeLines = Type.Object({
  from: Type.Integer(),
  lines: Type.Array(Rendered),
  total: Type.Integer(),
  /** The first line of the neighbouring pages. */
  previous: Nullable(Type.Integer()),
  next: Nullable(Type.Integer()),
  /** Whether long lines were cut. */
  is_cut: Type.Boolean(),
});
export type CodeLines = Static<typeof CodeLines>;

export const TableRows = Type.Object({ rows: Type.Array(Type.Array(Type.String())), is_cut: Type.Boolean() });
export type TableRows = Static<typeof TableRows>;

const NotebookCell = Type.Object({
  kind: OneOf(['markdown', 'code', 'raw']),
  html: Nullable(Rendered),
  lines: Type.Array(Rendered),
  outputs: Type.Array(Type.String()),
  /** Pictures and other outputs that aren't text. */
  others: Type.Integer(),
});
export const Notebook = Type.Object({ cells: Type.Array(NotebookCell), is_cut: Type.Boolean() });
export type Notebook = Static<typeof Notebook>;

const fileKinds = ['text', 'image', 'pdf', 'binary', 'large'] as const;

/** A file, with one of the ways to show it. Whatever else is at the address has a type and nothing more. */
export const ShownFile = Type.Object({
  ...ShownLocation.properties,
  type: OneOf(entryKinds),
  kind: OneOf(fileKinds),
  name: Type.String(),
  size: Type.Integer(),
  is_executable: Type.Boolean(),
  language: Nullable(Type.String()),
  /** The target of a symbolic link, as it is written there. */
  target: Nullable(Type.String()),
  last_commit: Nullable(LastCommit),
  /** Whether the file can be shown in another way than as its source. */
  has_preview: Type.Boolean(),
  code: Nullable(CodeLines),
  markdown: Nullable(Rendered),
  table: Nullable(TableRows),
  notebook: Nullable(Notebook),
});
export type ShownFile = Static<typeof ShownFile>;

/** Successive lines that one commit has written last. */
const BlamePart = Type.Object({ commit: LastCommit, from: Type.Integer(), lines: Type.Array(Rendered) });

export const ShownBlame = Type.Object({
  ...ShownLocation.properties,
  type: OneOf(entryKinds),
  size: Type.Integer(),
  parts: Type.Array(BlamePart),
  /** Why there are no parts. */
  problem: Nullable(OneOf(['binary', 'large', 'slow'])),
  total: Type.Integer(),
  previous: Nullable(Type.Integer()),
  next: Nullable(Type.Integer()),
});
export type ShownBlame = Static<typeof ShownBlame>;

/** The paths of a commit that match the words of a filter. */
export const FoundPaths = Type.Object({
  ...ShownLocation.properties,
  paths: Type.Array(Type.String()),
  total: Type.Integer(),
  /** Whether the commit has more files than were looked through. */
  is_cut: Type.Boolean(),
});
