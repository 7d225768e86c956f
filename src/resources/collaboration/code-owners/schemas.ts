import { type Static, Type } from 'typebox';
import { Nullable } from '#lib/shape.ts';

/** What is wrong with a line of a file of code owners. */
const CodeOwnersError = Type.Object({
  line: Type.Integer(),
  column: Type.Integer(),
  kind: Type.String(),
  source: Type.String(),
  suggestion: Nullable(Type.String()),
  message: Type.String(),
  path: Type.String(),
});

export const CodeOwnersErrors = Type.Object({ errors: Type.Array(CodeOwnersError) });
export type CodeOwnersErrors = Static<typeof CodeOwnersErrors>;
