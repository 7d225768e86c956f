import type { Account } from '#access/viewer.ts';
import { installApp } from '#test/support/apps.ts';
import type { World } from '#test/support/world.ts';

/** An app whose installation on an account may write deployments, and is told when a deployment waits for it. */
export async function gatekeeper(w: World, on: Account, more: { permissions?: Record<string, string>; events?: string[] } = {}) {
  const { permissions = { deployments: 'write' }, events = ['deployment_protection_rule'] } = more;
  const { installation, token } = await installApp(w, { on, permissions });
  const { app_id } = await w.db
    .updateTable('installations')
    .set({ events })
    .where('id', '=', installation)
    .returning('app_id')
    .executeTakeFirstOrThrow();
  return { app: app_id, installation, token };
}
