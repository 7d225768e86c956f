// Which repositories may use the secrets and variables of an organization.

import type { Org } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { changeSelection, createSelection, type SelectionId } from '#resources/repositories/repository-selections/index.ts';
import type { ConfigurationAction } from './owner.ts';
import type { Selection, Visibility } from './schemas.ts';

type Wanted = { resource: string; visibility: Visibility; ids: readonly number[] | undefined };

/**
 * Sets which repositories may use a secret or variable of an organization. Those of a repository or an environment have no
 * selection.
 * @param before the current selection, unless it is new
 * @returns the new selection
 */
export async function setSelection(
  scope: WriteScope,
  { owner, by, now }: ConfigurationAction,
  before: SelectionId | null,
  { resource, visibility: mode, ids }: Wanted,
): Promise<SelectionId | null> {
  if (!('org' in owner)) return null;
  const action = { org: owner.org, by, now };
  if (before === null) return (await createSelection(scope, action, { resource, mode, ids })).id;
  await changeSelection(scope, action, before, { resource, mode, ids });
  return before;
}

type Selected = { readonly name: string; readonly visibility: Visibility };

/** Which repositories may use a secret or variable of an organization, and the address that lists the selected ones. */
export function presentSelection(
  links: Links,
  org: Org,
  folder: `${'actions' | 'dependency-bot'}/${'secrets' | 'variables'}`,
  { name, visibility }: Selected,
): Selection {
  if (visibility !== 'selected') return { visibility };
  const url = path(`${path(`${links.api}/orgs`, org.login)}/${folder}`, name, 'repositories');
  return { visibility, selected_repositories_url: url };
}
