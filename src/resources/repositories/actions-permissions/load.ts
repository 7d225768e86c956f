// The settings of an organization and of a repository, read and combined.
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { orNotFound } from '#lib/refusal.ts';
import type { SelectionMode } from '#resources/repositories/repository-selections/index.ts';
import type { SelectedActions } from './schemas.ts';
import { maximumDays, organizationSettings, repositorySettings, type Settings, selectedActions } from './settings.ts';
import { findOrganizationRow, findOwnerRow, findRepositoryRow } from './store.ts';

/** The effective settings of an organization or a repository. */
type InForce = {
  readonly settings: Settings;
  readonly selected: SelectedActions;
  /** The maximum number of days that can be set for keeping artifacts and logs. */
  readonly maximumDays: number;
};

export type OrganizationInForce = InForce & {
  /** The repositories that may run workflows. */
  readonly enabled: SelectionMode;
  /** The repositories that may have self-hosted runners of their own. */
  readonly runners: SelectionMode;
};

export type RepositoryInForce = InForce & {
  readonly owner: { readonly login: string };
  /** The organization's limits; undefined if a user owns it. */
  readonly organization: { readonly settings: Settings; readonly selected: SelectedActions } | undefined;
  /** Its own list of allowed actions, before its organization limits it. */
  readonly ownAllowedActions: Settings['allowed_actions'] | undefined;
  /** Whether its organization allows workflows, and whether it runs them. */
  readonly isEnabledByOwner: boolean;
  readonly isEnabled: boolean;
  readonly hasSelfHostedRunners: boolean;
  readonly accessLevel: 'none' | 'user' | 'organization';
};

export async function loadOrganization(db: Db, organization: Id<'accounts'>): Promise<OrganizationInForce> {
  const row = await findOrganizationRow(db, organization);
  return {
    settings: organizationSettings(row ?? {}),
    selected: selectedActions(row ?? {}),
    maximumDays: maximumDays(undefined),
    enabled: row?.enabled_mode ?? 'all',
    runners: row?.runners_mode ?? 'all',
  };
}

type Repository = { readonly id: Id<'repositories'>; readonly owner_id: Id<'accounts'> };

/**
 * The effective settings of a repository, in two statements that are sent together.
 * @throws Refusal 404 if its owner was deleted
 */
export async function loadRepository(db: Db, repository: Repository): Promise<RepositoryInForce> {
  const [ownerRow, row] = await Promise.all([findOwnerRow(db, repository), findRepositoryRow(db, repository.id)]);
  const owner = orNotFound(ownerRow);
  const organization =
    owner.kind === 'user' ? undefined : { settings: organizationSettings(owner), selected: selectedActions(owner) };
  const isSelecting = organization?.settings.allowed_actions === 'selected';
  // A level for the other kind of owner was set before a transfer.
  const sharing = organization ? 'organization' : 'user';
  return {
    owner,
    organization,
    settings: repositorySettings(organization?.settings, row ?? {}),
    selected: selectedActions(row ?? {}, isSelecting ? organization.selected : undefined),
    maximumDays: maximumDays(organization?.settings),
    ownAllowedActions: row?.allowed_actions ?? undefined,
    isEnabledByOwner: owner.is_enabled,
    isEnabled: owner.is_enabled && (row?.enabled ?? true),
    hasSelfHostedRunners: owner.has_runners,
    accessLevel: row?.access_level === sharing ? sharing : 'none',
  };
}

/** The effective settings of the organization or repository in a path. */
export const loadInForce = (
  db: Db,
  at: { readonly org: { readonly id: Id<'accounts'> } } | { readonly repo: Repository },
): Promise<InForce> => ('repo' in at ? loadRepository(db, at.repo) : loadOrganization(db, at.org.id));
