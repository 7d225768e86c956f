import type { Viewer } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { invalid, orNotFound } from '#lib/refusal.ts';
import { findAppById } from '#resources/repositories/apps/index.ts';
import { insertAppHook } from '#webhook-delivery/app-hooks.ts';
import { changeConfig, checkUrl, type HookServices } from './rules.ts';
import type { ConfigChange } from './schemas.ts';
import { findAppHook, type HookRow } from './store.ts';

type AppHookAction = { app: Id<'apps'>; by: Viewer; baseUrl: string; now: Date; services: HookServices };

/** Changes the configuration of an app's webhook, or creates the webhook if the app has none. */
export async function changeAppConfig(scope: WriteScope, action: AppHookAction, wanted: ConfigChange): Promise<HookRow> {
  const { app: id, by, now, services } = action;
  const app = orNotFound(await findAppById(scope.tx, id));
  const hook = (await findAppHook(scope.tx, id)) ?? (await createAppHook(scope, action, wanted));
  const parent = { column: 'app_id', id } as const;
  return changeConfig(scope, { parent, owner: app.owner_id, by, now, services }, hook, wanted);
}

function createAppHook(
  scope: WriteScope,
  { app, baseUrl, now, services }: AppHookAction,
  { url }: ConfigChange,
): Promise<HookRow> {
  if (url === undefined) throw invalid('Hook', 'url', 'missing_field');
  const checked = checkUrl(services.outbound, url, 'url');
  return insertAppHook(scope.tx, { app, url: checked, active: true, contentType: 'form', secret: null, baseUrl, now });
}
