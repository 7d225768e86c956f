import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';

/** The repositories of an organization that a setting applies to. */
export const selectionModes = ['all', 'none', 'private', 'selected'] as const;
export type SelectionMode = (typeof selectionModes)[number];

/** The ids of repositories in a request, at most 1,000, since all of them are looked up. */
export const SelectedIds = Type.Array(Type.Integer({ minimum: 1, maximum: maxId }), { maxItems: 1000 });

export const RepositorySelection = Type.Object({ selected_repository_ids: SelectedIds }, { title: 'RepositorySelection' });
export type RepositorySelection = Static<typeof RepositorySelection>;
