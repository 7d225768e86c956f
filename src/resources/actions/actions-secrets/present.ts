import type { Links } from '#endpoint/links.ts';
import { timestamp } from '#lib/time.ts';
import { type ConfigurationOwner, presentSelection } from '#resources/actions/actions-configuration/index.ts';
import type { ActionsSecret, OrganizationActionsSecret } from './schemas.ts';
import type { SecretStore } from './secret-store.ts';
import type { SecretRow } from './store.ts';

/** A secret without the fields for organizations. */
export const presentPlainSecret = ({ name, created_at, updated_at }: SecretRow): ActionsSecret => ({
  name,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
});

export function presentSecret(
  links: Links,
  { segment }: SecretStore,
  owner: ConfigurationOwner,
  row: SecretRow,
): ActionsSecret | OrganizationActionsSecret {
  const { name, visibility } = row;
  if (!('org' in owner) || visibility === null) return presentPlainSecret(row);
  return { ...presentPlainSecret(row), ...presentSelection(links, owner.org, `${segment}/secrets`, { name, visibility }) };
}
