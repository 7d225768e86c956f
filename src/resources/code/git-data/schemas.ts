import { type Static, Type } from 'typebox';
import { treeModes } from '#git/objects/parse-tree.ts';
import { Nullable, OneOf, withDefault } from '#lib/shape.ts';
import { Verification } from '#resources/code/commit-verification/index.ts';
import { GitPerson, ObjectLink } from '#resources/code/commits/index.ts';

export const objectTypes = ['blob', 'tree', 'commit', 'tag'] as const;

const sha = Type.String({ pattern: '^[0-9a-fA-F]{40}$' });
/** These bodies may be as large as a file. A message has its own limit. */
const message = Type.String({ maxLength: 1_000_000 });

export const GitBlob = Type.Object({
  sha: Type.String(),
  node_id: Type.String(),
  url: Type.String(),
  size: Type.Integer(),
  content: Type.String(),
  encoding: Type.String(),
});
export type GitBlob = Static<typeof GitBlob>;

export const NewBlob = Type.Object(
  { content: Type.String(), encoding: withDefault(OneOf(['utf-8', 'base64']), 'utf-8') },
  { title: 'Blob' },
);

export const GitTree = Type.Object({
  sha: Type.String(),
  url: Type.String(),
  tree: Type.Array(
    Type.Object({
      path: Type.String(),
      mode: OneOf(treeModes),
      type: OneOf(['blob', 'tree', 'commit']),
      sha: Type.String(),
      size: Type.Optional(Type.Integer()),
      url: Type.Optional(Type.String()),
    }),
  ),
  truncated: Type.Boolean(),
});
export type GitTree = Static<typeof GitTree>;

export const NewTree = Type.Object(
  {
    base_tree: Type.Optional(sha),
    tree: Type.Array(
      Type.Object({
        path: Type.String({ minLength: 1, maxLength: 4096 }),
        mode: OneOf(treeModes),
        type: Type.Optional(OneOf(['blob', 'tree', 'commit'])),
        sha: Type.Optional(Nullable(sha)),
        content: Type.Optional(Type.String()),
      }),
      { minItems: 1, maxItems: 25_000 },
    ),
  },
  { title: 'Tree' },
);
export type NewTree = Static<typeof NewTree>;

const name = Type.String({ minLength: 1, maxLength: 255 });
/** An author, committer or tagger in a request. */
export const NamedPerson = Type.Object({ name, email: name, date: Type.Optional(Type.String({ maxLength: 64 })) });
export const AnyPerson = Type.Partial(NamedPerson);
export type AnyPerson = Static<typeof AnyPerson>;

export const NewCommit = Type.Object(
  {
    message,
    tree: sha,
    parents: withDefault(Type.Array(sha, { maxItems: 100 }), []),
    author: Type.Optional(NamedPerson),
    committer: Type.Optional(AnyPerson),
    signature: Type.Optional(Type.String({ maxLength: 65_536 })),
  },
  { title: 'Commit' },
);

export const GitRef = Type.Object({
  ref: Type.String(),
  node_id: Type.String(),
  url: Type.String(),
  object: Type.Object({ ...ObjectLink.properties, type: OneOf(objectTypes) }),
});
export type GitRef = Static<typeof GitRef>;

export const NewRef = Type.Object({ ref: Type.String({ maxLength: 1024 }), sha }, { title: 'Reference' });
export const RefChange = Type.Object({ sha, force: withDefault(Type.Boolean(), false) }, { title: 'Reference' });

export const GitTag = Type.Object({
  sha: Type.String(),
  node_id: Type.String(),
  url: Type.String(),
  tag: Type.String(),
  message: Type.String(),
  tagger: GitPerson,
  object: Type.Object({ ...ObjectLink.properties, type: OneOf(objectTypes) }),
  verification: Verification,
});
export type GitTag = Static<typeof GitTag>;

export const NewTag = Type.Object(
  { tag: name, message, object: sha, type: OneOf(['commit', 'tree', 'blob']), tagger: Type.Optional(AnyPerson) },
  { title: 'Tag' },
);
