import { type Static, Type } from 'typebox';
import { Nullable } from '#lib/shape.ts';

/** A licence in lists and in other objects. */
export const SimpleLicense = Type.Object({
  key: Type.String(),
  name: Type.String(),
  spdx_id: Type.String(),
  url: Nullable(Type.String()),
  node_id: Type.String(),
});
export type SimpleLicense = Static<typeof SimpleLicense>;
