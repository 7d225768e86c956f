import { type Static, Type } from 'typebox';
import { OneOf, Timestamp } from '#lib/shape.ts';
import { SelectedIds } from '#resources/repositories/repository-selections/index.ts';

export const visibilities = ['all', 'private', 'selected'] as const;
export type Visibility = (typeof visibilities)[number];

/** What secrets and variables of all owners show. */
export const namedFields = { name: Type.String(), created_at: Timestamp, updated_at: Timestamp };

/** What those of an organization show besides. */
export const selectionFields = {
  visibility: OneOf(visibilities),
  selected_repositories_url: Type.Optional(Type.String()),
};
const selection = Type.Object(selectionFields);
export type Selection = Static<typeof selection>;

/** The fields of requests that say which repositories may use something of an organization. */
export const wantedSelection = {
  visibility: OneOf(visibilities),
  selected_repository_ids: Type.Optional(SelectedIds),
};
