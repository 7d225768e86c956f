import type { Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import type { Id } from '#lib/id.ts';
import { appOf } from '#resources/apps/index.ts';
import { type HookOwner, parentOf, visibleAuthors } from './hook-owner.ts';
import { findAppHook, findDelivery, findHook, findHookForUpdate, type HookRow } from './store.ts';

type BelowOwner = { readonly db: Db; readonly at: HookOwner; readonly viewer: Viewer };
type BelowHook = { readonly db: Db; readonly at: { readonly hook: HookRow } };

/** A hook, wherever it belongs to. */
const hook = {
  name: 'hook',
  words: { hook_id: idOf('webhooks') },
  find: ({ db, at, viewer }: BelowOwner, { hook_id }: { hook_id: Id<'webhooks'> }) =>
    findHook(db, parentOf(at), visibleAuthors(at, viewer), hook_id),
  lock: (tx: Tx, at: HookOwner & BelowHook['at']) => findHookForUpdate(tx, parentOf(at), at.hook),
} as const;

/** A delivery of a hook that was sent or given up. Nothing changes it, so it isn't locked. */
const delivery = {
  name: 'delivery',
  words: { delivery_id: idOf('webhook_deliveries') },
  find: ({ db, at }: BelowHook, { delivery_id }: { delivery_id: Id<'webhook_deliveries'> }) =>
    findDelivery(db, at.hook.id, delivery_id),
} as const;

export const orgHook = pathResource({ ...hook, below: 'org' });
export const repoHook = pathResource({ ...hook, below: 'repo' });

/** The hook of the app that asks. An app has one at most, so no word names it. */
export const appHook = pathResource({
  name: 'hook',
  words: {},
  below: undefined,
  async find({ db, viewer }) {
    const app = appOf(viewer);
    return app && findAppHook(db, app);
  },
});

export const orgDelivery = pathResource({ ...delivery, below: orgHook });
export const repoDelivery = pathResource({ ...delivery, below: repoHook });
export const appDelivery = pathResource({ ...delivery, below: appHook });
