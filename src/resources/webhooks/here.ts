import type { Org, Repo, SignedIn, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import type { Services } from '#endpoint/services.ts';
import type { Id } from '#lib/id.ts';
import { existing } from '#lib/refusal.ts';
import { commonOf, presentRepository } from './payloads/payload.ts';
import type { About } from './pings.ts';
import { reachOf, type Step } from './rules.ts';
import { findDelivery, findHook, type HookRow, insertRedelivery, lockHooks, type Makers, type Parent } from './store.ts';

/** The organization or repository of a path, whose hooks it is about. */
export type Place = { readonly org: Org } | { readonly repo: Repo };

export const parentOf = (at: Place): Parent =>
  'org' in at ? { column: 'organization_id', id: at.org.id } : { column: 'repository_id', id: at.repo.id };

/** Whose hooks the viewer reaches. Only in organizations is an OAuth app limited to those that it made. */
export const makersFor = (at: Place, viewer: SignedIn): Makers => ('org' in at ? reachOf(viewer) : 'everybody');

type Here = { at: Place & { hook_id: Id<'webhooks'> }; viewer: SignedIn; db: Db };

/** The hook that the path names. Not found where the viewer may not know of it. */
export async function hookAt({ db, at, viewer }: Here): Promise<HookRow> {
  return existing(await findHook(db, parentOf(at), makersFor(at, viewer), at.hook_id));
}

/** Like `hookAt`, with the hook's row locked for a change. Of two changes at once, the second waits and sees the first. */
export async function holdHookAt({ tx, at, viewer }: Omit<Here, 'db'> & { tx: Tx }): Promise<HookRow> {
  await lockHooks(tx, parentOf(at));
  return hookAt({ db: tx, at, viewer });
}

type Acting = { at: Place; viewer: Viewer; now: Date; services: Services };

export const stepOf = ({ at, viewer, now, services }: Acting): Step => ({
  parent: parentOf(at),
  owner: 'org' in at ? at.org.id : at.repo.owner_id,
  by: viewer,
  now,
  services,
});

type Again = Here & {
  at: { delivery_id: Id<'webhook_deliveries'> };
  now: Date;
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
};

/** Sends a delivery again. */
export async function redeliver({ change, now, ...here }: Again): Promise<Record<string, never>> {
  const hook = await hookAt(here);
  const { id } = existing(await findDelivery(here.db, hook.id, here.at.delivery_id));
  await change((tx) => insertRedelivery(tx, hook.id, id, now));
  return {};
}

/** The part of a ping that is about the organization or repository of the hook, and about who asked for the ping. */
export async function aboutPlace(context: { db: Db; links: Links }, at: Place, { account }: SignedIn): Promise<About> {
  if ('org' in at) return commonOf(context, { owner: at.org.id, repository: undefined, actor: account.id });
  const { repo } = at;
  const common = await commonOf(context, { owner: repo.owner_id, repository: repo.id, actor: account.id });
  return { repository: await presentRepository(context, repo), ...common };
}
