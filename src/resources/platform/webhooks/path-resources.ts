import type { Tx } from '#database/connect.ts';
import { type Lookup, pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import type { Id } from '#lib/id.ts';
import { appOf } from '#resources/repositories/apps/index.ts';
import { type HookOwner, parentOf, visibleAuthors } from './hook-owner.ts';
import { findAppHook, findDelivery, findHook, findHookForUpdate, type HookRow } from './store.ts';

/** A lookup below any of several parents. `At` is their common part. */
type Below<At> = Omit<Lookup, 'at'> & { readonly at: At };

/** A hook of an organization or a repository. */
const hook = {
  name: 'hook',
  words: { hook_id: idOf('webhooks') },
  find: ({ db, at, viewer }: Below<HookOwner>, { hook_id }: { hook_id: Id<'webhooks'> }) =>
    findHook(db, parentOf(at), visibleAuthors(at, viewer), hook_id),
  lock: (tx: Tx, at: HookOwner & { hook: HookRow }) => findHookForUpdate(tx, parentOf(at), at.hook),
} as const;

export const orgHook = pathResource({ ...hook, below: 'org' });
export const repoHook = pathResource({ ...hook, below: 'repo' });

/** The hook of the authenticated app. An app has at most one, so the path has no id. */
export const appHook = pathResource({
  name: 'hook',
  words: {},
  below: undefined,
  async find({ db, viewer }) {
    const app = appOf(viewer);
    return app && findAppHook(db, app);
  },
});

/** A completed delivery of a hook, successful or not. Nothing changes it, so it needs no lock. */
const delivery = {
  name: 'delivery',
  words: { delivery_id: idOf('webhook_deliveries') },
  find: ({ db, at }: Below<{ hook: HookRow }>, { delivery_id }: { delivery_id: Id<'webhook_deliveries'> }) =>
    findDelivery(db, at.hook.id, delivery_id),
} as const;

export const orgDelivery = pathResource({ ...delivery, below: orgHook });
export const repoDelivery = pathResource({ ...delivery, below: repoHook });
export const appDelivery = pathResource({ ...delivery, below: appHook });
