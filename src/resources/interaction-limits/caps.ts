import { isDeepStrictEqual } from 'node:util';
import type { OrganizationAction } from '#access/action.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import { getSettings, type Settings, updateSettings } from '#resources/organizations/index.ts';
import type { CreationCap, CreationCapChange } from './schemas.ts';

/** The cap on pull requests, from an organization's settings. The number is kept while the cap is off. */
export const capOf = ({ pull_request_cap_enabled, max_open_pull_requests }: Settings): CreationCap => ({
  enabled: pull_request_cap_enabled,
  max_open_pull_requests,
});

/** Switches the cap on or off, and sets it. */
export async function changeCap(tx: Tx, action: OrganizationAction, wanted: CreationCapChange): Promise<CreationCap> {
  const { org } = action;
  const before = capOf(await getSettings(tx, org.id));
  if (isDeepStrictEqual({ ...before, ...wanted }, before)) return before;
  // Only the named columns are written, so that a request at the same time can set the others.
  const { enabled: pull_request_cap_enabled, max_open_pull_requests } = wanted;
  const settings = await updateSettings(tx, org.id, defined({ pull_request_cap_enabled, max_open_pull_requests }));
  await record(tx, { ...inOrganization(action), kind: 'organization.updated', data: {} });
  return capOf(settings);
}
