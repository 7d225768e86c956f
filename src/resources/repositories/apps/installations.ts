import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { type InstallationOfApp, loadInstallationsOn, removeInstallation, setSuspended } from './store.ts';

type InstallationAction = { installation: InstallationOfApp; by: Id<'accounts'> | undefined; now: Date };

/** Uninstalls an app from an account. The installation's tokens are deleted with it. */
export async function uninstall(scope: WriteScope, { installation, by, now }: InstallationAction): Promise<void> {
  const data = { installation: installation.id, was: snapshotOf(installation) };
  await record(scope.tx, { kind: 'installation.deleted', owner: installation.account_id, actor: by, at: now, data });
  await removeInstallation(scope.tx, installation.id);
}

/** Uninstalls all apps from an account. */
export async function uninstallAll(
  scope: WriteScope,
  { account, ...actor }: Omit<InstallationAction, 'installation'> & { account: Id<'accounts'> },
) {
  for (const installation of await loadInstallationsOn(scope.tx, account)) await uninstall(scope, { ...actor, installation });
}

/** Suspends an installation: its tokens are refused until the suspension ends. */
export async function suspendInstallation(scope: WriteScope, { installation, by, now }: InstallationAction): Promise<void> {
  const { id, account_id: owner } = installation;
  if (!(await setSuspended(scope.tx, id, { since: now, by: by ?? null, now }))) return;
  await record(scope.tx, { kind: 'installation.suspended', owner, actor: by, at: now, data: { installation: id } });
}

export async function unsuspendInstallation(scope: WriteScope, { installation, by, now }: InstallationAction): Promise<void> {
  const { id, account_id: owner } = installation;
  if (!(await setSuspended(scope.tx, id, { since: null, by: null, now }))) return;
  await record(scope.tx, { kind: 'installation.unsuspended', owner, actor: by, at: now, data: { installation: id } });
}
