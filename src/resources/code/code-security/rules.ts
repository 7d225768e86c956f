import type { OrganizationAction } from '#access/action.ts';
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import { enqueue } from '#jobs/job.ts';
import { unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { forbidden, invalid, unprocessable } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { analysersHint } from '#resources/repositories/repository-security/index.ts';
import { applyConfiguration, enableProduct } from './jobs.ts';
import { configurationLimits } from './limits.ts';
import type { Attachment, ConfigurationChange, NewConfiguration, Product } from './schemas.ts';
import {
  changedSettings,
  checkSettings,
  hasAnalysers,
  newSettings,
  scanningSetup,
  switchesOf,
  switchOfProduct,
} from './settings.ts';
import {
  awaitUpdate,
  type ConfigurationRow,
  countConfigurations,
  countOwned,
  detach,
  insertConfiguration,
  putAttachments,
  putDefaults,
  putEnablement,
  removeConfiguration,
  removeDefaults,
  updateConfiguration,
} from './store.ts';

const resource = 'CodeSecurityConfiguration';
const maxConfigurations = fixedValue(configurationLimits.securityConfigurations);

export async function createConfiguration(
  scope: WriteScope & Needs<'analysers'>,
  { org, now }: OrganizationAction,
  wanted: NewConfiguration,
): Promise<ConfigurationRow> {
  const { analysers } = scope.services;
  const settings = newSettings(wanted, analysers);
  checkSettings(settings, analysers);
  await lockOrganization(scope.tx, org.id);
  const { total, same } = await countConfigurations(scope.tx, org.id, wanted.name);
  if (same !== null) throw invalid(resource, 'name', 'already_exists');
  if (total >= maxConfigurations)
    throw invalid(resource, 'name', 'unprocessable', `An organization can have at most ${maxConfigurations} configurations`);
  return insertConfiguration(scope.tx, {
    organization_id: org.id,
    name: wanted.name,
    description: wanted.description,
    enforcement: wanted.enforcement,
    settings,
    switches: switchesOf(settings),
    created_at: now,
    updated_at: now,
  });
}

/** The server's own configurations are the same for all organizations. */
function demandOwn({ organization_id }: ConfigurationRow): void {
  if (organization_id === null) throw forbidden('A global configuration can’t be changed.');
}

/**
 * Changes a configuration, and enqueues the update of its repositories. Returns undefined where nothing changes.
 * @throws Refusal 403 or 422
 */
export async function changeConfiguration(
  scope: WriteScope & Needs<'analysers'>,
  action: OrganizationAction,
  row: ConfigurationRow,
  { name = row.name, description = row.description, enforcement = row.enforcement, ...change }: ConfigurationChange,
): Promise<ConfigurationRow | undefined> {
  demandOwn(row);
  const settings = changedSettings(row.settings, change);
  const isSame =
    JSON.stringify(settings) === JSON.stringify(row.settings) &&
    name === row.name &&
    description === row.description &&
    enforcement === row.enforcement;
  if (isSame) return undefined;
  checkSettings(settings, scope.services.analysers);
  const { org, by, now } = action;
  await lockOrganization(scope.tx, org.id);
  const { same } = await countConfigurations(scope.tx, org.id, name);
  if (same !== null && same !== row.id) throw invalid(resource, 'name', 'already_exists');
  const switches = switchesOf(settings);
  const changed = await updateConfiguration(scope.tx, row.id, {
    name,
    description,
    enforcement,
    settings,
    switches,
    updated_at: now,
  });
  const isNamedOnly = JSON.stringify(settings) === JSON.stringify(row.settings) && enforcement === row.enforcement;
  if (!isNamedOnly) {
    await awaitUpdate(scope.tx, row.id, by.account?.id);
    await apply(scope, row);
  }
  return changed;
}

/**
 * Deletes a configuration. Its repositories keep their settings, and can change them freely.
 * @throws Refusal 403
 */
export async function deleteConfiguration(scope: WriteScope, row: ConfigurationRow): Promise<void> {
  demandOwn(row);
  await removeConfiguration(scope.tx, row.id);
}

const apply = (scope: WriteScope, { id }: Pick<ConfigurationRow, 'id'>): Promise<void> =>
  enqueue(scope.tx, applyConfiguration, { configuration: id }, { key: `security-configuration:${id}` });

/**
 * Attaches a configuration to repositories. A job applies its settings.
 * @throws Refusal 422
 */
export async function attachConfiguration(
  scope: WriteScope,
  { org, by }: OrganizationAction,
  row: ConfigurationRow,
  wanted: Attachment,
): Promise<void> {
  const { scope: covered, selected_repository_ids } = wanted;
  const field = 'selected_repository_ids';
  if (covered === 'selected' && !selected_repository_ids) throw invalid(resource, field, 'missing_field');
  if (covered !== 'selected' && selected_repository_ids)
    throw invalid(resource, field, 'invalid', `${field} has no place beside the scope ${covered}`);
  const ids = unique(selected_repository_ids ?? []);
  if (ids.length > 0 && (await countOwned(scope.tx, { organization: org.id, viewer: by }, ids)) < ids.length)
    throw invalid(resource, field, 'invalid', `${field} names a repository that is none of the organization`);
  const total = await putAttachments(scope.tx, { organization: org.id, configuration: row.id, actor: by.account?.id }, wanted);
  if (total > 0) await apply(scope, row);
}

export const detachConfigurations = (
  scope: WriteScope,
  { org }: OrganizationAction,
  ids: Parameters<typeof detach>[2],
): Promise<unknown> => detach(scope.tx, org.id, ids);

type DefaultFor = 'all' | 'none' | 'public' | 'private_and_internal';

/**
 * Sets which new repositories of an organization get a configuration by default. Kinds of repositories that this leaves out get
 * none, even if the configuration was their default before.
 */
export async function changeDefault(
  scope: WriteScope,
  { org }: OrganizationAction,
  { id }: ConfigurationRow,
  wanted: DefaultFor,
): Promise<void> {
  await lockOrganization(scope.tx, org.id);
  await removeDefaults(scope.tx, org.id, id);
  if (wanted === 'none') return;
  const visibilities = wanted === 'all' ? (['public', 'private_and_internal'] as const) : [wanted];
  await putDefaults(
    scope.tx,
    visibilities.map((visibility) => ({ organization_id: org.id, visibility, configuration_id: id })),
  );
}

/** Milliseconds after which a job that turns a product on or off counts as lost. */
const staleMs = 60 * 60 * 1000;

type Enabling = {
  readonly product: Product | 'advanced_security';
  readonly isOn: boolean;
  /** For the default setup of code scanning. */
  readonly query_suite?: 'default' | 'extended' | undefined;
};

/**
 * Turns a product on or off in all repositories of an organization, in the background.
 * @throws Refusal 422 for a product that can't be changed this way, or while another such job runs
 */
export async function enableProductEverywhere(
  scope: WriteScope & Needs<'analysers'>,
  { org, by, now }: OrganizationAction,
  { product, isOn, query_suite }: Enabling,
): Promise<void> {
  const isSetup = product === scanningSetup;
  if (isSetup && isOn && !hasAnalysers(scope.services.analysers))
    throw unprocessable(`${product} can't be enabled: this server has no analyser of code. ${analysersHint}`);
  if (!isSetup && !(product in switchOfProduct)) {
    if (isOn) throw unprocessable(`${product} can't be enabled: it is no part of this server.`);
    return;
  }
  const row = { organization_id: org.id, product, is_on: isOn, actor_id: by.account?.id ?? null, started_at: now };
  if (!(await putEnablement(scope.tx, row, new Date(now.getTime() - staleMs))))
    throw unprocessable(`${product} is being enabled or disabled already.`);
  await enqueue(scope.tx, enableProduct, { organization: org.id, product, ...(isSetup && { query_suite }) });
}
