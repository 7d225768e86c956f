import { type Static, Type } from 'typebox';
import { OneOf, Timestamp } from '#lib/shape.ts';
import { SelectedIds } from '#resources/repositories/repository-selections/index.ts';

export const visibilities = ['all', 'private', 'selected'] as const;
export type Visibility = (typeof visibilities)[number];

/** The common fields of secrets and variables, for all kinds of owners. */
export const namedFields = { name: Type.String(), created_at: Timestamp, updated_at: Timestamp };

/** The additional fields for organizations. */
export const selectionFields = {
  visibility: OneOf(visibilities),
  selected_repositories_url: Type.Optional(Type.String()),
};
const selection = Type.Object(selectionFields);
export type Selection = Static<typeof selection>;

/** The fields of requests that select the repositories for an organization's secret or variable. */
export const wantedSelection = {
  visibility: OneOf(visibilities),
  selected_repository_ids: Type.Optional(SelectedIds),
};
