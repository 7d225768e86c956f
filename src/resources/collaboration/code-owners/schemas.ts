import { type Static, Type } from 'typebox';
import { Nullable } from '#lib/shape.ts';

/** An error in a line of a code owners file. */
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
