import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { type InstallationOfApp, removeInstallation, updateInstallation } from './store.ts';

type Step = { installation: InstallationOfApp; by: Id<'accounts'> | undefined; now: Date };

/** Takes an app off an account. Its tokens end with it. */
export async function uninstall(tx: Tx, { installation, by, now }: Step): Promise<void> {
  const data = { installation: installation.id, was: snapshotOf(installation) };
  await record(tx, { kind: 'installation.deleted', owner: installation.account_id, actor: by, at: now, data });
  await removeInstallation(tx, installation.id);
}

/** Keeps an installation from doing anything until it is resumed: its tokens are refused. */
export const suspendInstallation = (tx: Tx, { installation, by, now }: Step) =>
  updateInstallation(tx, installation.id, { suspended_at: now, suspended_by: by ?? null, updated_at: now });

export const resumeInstallation = (tx: Tx, { installation, now }: Pick<Step, 'installation' | 'now'>) =>
  updateInstallation(tx, installation.id, { suspended_at: null, suspended_by: null, updated_at: now });
