import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { associations } from '#resources/collaboration/issues/index.ts';
import { ReactionRollup } from '#resources/collaboration/reactions/index.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Rendered } from '#text/rendered-html.ts';

/** A comment on a commit. Renderings replace the body or are added to it, depending on the media type of the request. */
export const CommitComment = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  commit_id: Type.String(),
  path: Nullable(Type.String()),
  position: Nullable(Type.Integer()),
  line: Nullable(Type.Integer()),
  body: Type.Optional(Type.String()),
  body_text: Type.Optional(Type.String()),
  body_html: Type.Optional(Rendered),
  user: Nullable(User),
  author_association: OneOf(associations),
  created_at: Timestamp,
  updated_at: Timestamp,
  reactions: ReactionRollup,
});
export type CommitComment = Static<typeof CommitComment>;

const body = Type.String({ minLength: 1, maxLength: 65_536 });
const lineNumber = Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })));

/** `position` is a line in the diff of the file at `path`, and `line` a line of the file itself. */
export const NewCommitComment = Type.Object(
  {
    body,
    path: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 4_096 }))),
    position: lineNumber,
    line: lineNumber,
  },
  { title: 'CommitComment' },
);
export type NewCommitComment = Static<typeof NewCommitComment>;

export const CommitCommentChange = Type.Object({ body }, { title: 'CommitComment' });
