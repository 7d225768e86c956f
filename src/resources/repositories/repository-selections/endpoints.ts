// The selected repositories of an organization's setting. All settings with a selection share these four endpoints.

import type { OrganizationAction } from '#access/action.ts';
import type { Org } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import type { SharedCall } from '#endpoint/call.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { MinimalRepository, presentRepositories } from '#resources/repositories/repositories/index.ts';
import { addRepository, notSelected, removeRepository, selectRepositories } from './rules.ts';
import { RepositorySelection, type SelectionMode } from './schemas.ts';
import { findSelection, findSelectionForUpdate, listSelected, type SelectionId, type SelectionRow } from './store.ts';

type SettingCall<At> = SharedCall<{ at: At; action: OrganizationAction }>;
type OneRepository = { readonly repository: { readonly id: Id<'repositories'> } };

type Setting<At> = {
  /** The selection of the setting in the path; undefined if the setting was never made. */
  selectionOf: (db: Db, at: At) => Promise<SelectionId | undefined>;
  /** Further changes in the transaction that changes the selection, for example to record an event. */
  changed?: (scope: WriteScope, action: OrganizationAction, at: At) => Promise<void>;
  /** The mode of a setting that was never made. If omitted, no repositories are selected. */
  unset?: SelectionMode;
};

/** The declarations of the endpoints. Each family adds id, path, resources, summary and access. */
export const selectedRepositoryEndpoints = <At extends { readonly org: Org }>({
  selectionOf,
  changed,
  unset = 'none',
}: Setting<At>) => {
  const locked = async (scope: WriteScope, at: At): Promise<SelectionRow> => {
    const id = await selectionOf(scope.tx, at);
    if (id === undefined) throw notSelected(unset);
    return orNotFound(await findSelectionForUpdate(scope.tx, id));
  };
  return {
    list: {
      method: 'GET',
      paging: pages(),
      replies: { 200: enveloped('repositories', MinimalRepository) },
      async handle({ scope, db, at, action, page }: SettingCall<At>) {
        const id = await selectionOf(db, at);
        const selection = id === undefined ? undefined : await findSelection(db, id);
        if (!selection) return { rows: [], total: 0 };
        const selected = await listSelected(db, selection, action.by.grant, page);
        return mapRows(selected, (rows) => presentRepositories(scope, rows));
      },
    },
    set: {
      method: 'PUT',
      body: RepositorySelection,
      refuses: [409],
      replies: { 204: Nothing },
      async handle({ change, at, action, body }: SettingCall<At> & { body: RepositorySelection }) {
        await change(async (scope) => {
          await selectRepositories(scope, action, await locked(scope, at), body.selected_repository_ids);
          await changed?.(scope, action, at);
        });
      },
    },
    add: {
      method: 'PUT',
      refuses: [409],
      replies: { 204: Nothing },
      async handle({ change, at, action }: SettingCall<At & OneRepository>) {
        await change(async (scope) => {
          await addRepository(scope, await locked(scope, at), at.repository);
          await changed?.(scope, action, at);
        });
      },
    },
    remove: {
      method: 'DELETE',
      refuses: [409],
      replies: { 204: Nothing },
      async handle({ change, at, action }: SettingCall<At & OneRepository>) {
        await change(async (scope) => {
          await removeRepository(scope, await locked(scope, at), at.repository);
          await changed?.(scope, action, at);
        });
      },
    },
  } as const;
};
