import { type Static, Type } from 'typebox';
import { each, Nullable } from '#lib/shape.ts';

/** A license in lists and in other objects. */
export const SimpleLicense = Type.Object({
  key: Type.String(),
  name: Type.String(),
  spdx_id: Type.String(),
  url: Nullable(Type.String()),
  node_id: Type.String(),
});
export type SimpleLicense = Static<typeof SimpleLicense>;

/** A license with its text and its terms. */
export const License = Type.Object({
  ...SimpleLicense.properties,
  html_url: Type.String(),
  description: Type.String(),
  implementation: Type.String(),
  ...each(['permissions', 'conditions', 'limitations'], Type.Array(Type.String())),
  body: Type.String(),
  featured: Type.Boolean(),
});
export type License = Static<typeof License>;
