import type { Account } from '#access/viewer.ts';
import type { Id } from '#lib/id.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { installApp } from '#test/support/apps.ts';
import type { Client } from '#test/support/client.ts';
import { type Receiver, receiver } from '#test/support/receiver.ts';
import type { World } from '#test/support/world.ts';
import { insertAppHook } from '#webhook-delivery/app-hooks.ts';

/** An app that writes checks on an account, and its client. */
export async function checker(w: World, on: Account, permissions: Record<string, string> = { checks: 'write' }) {
  const { installation, token, userToken, bot } = await installApp(w, { on, permissions });
  const row = await w.db.selectFrom('installations').select('app_id').where('id', '=', installation).executeTakeFirstOrThrow();
  return { installation, app: row.app_id, token, userToken, bot, client: await w.as(token) };
}

/** A repository with a commit, and an app that checks it. */
export async function setting(w: World, visibility: 'public' | 'private' = 'private') {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility });
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const { commit } = await addFile(client, base);
  const app = await checker(w, ada);
  const run = (wanted: object, by: Client = app.client) => by.post(`${base}/check-runs`, { head_sha: commit, ...wanted });
  return { ada, repo, client, base, commit, app, run };
}

/** Gives an app a hook of its own, which it is sent what its installation may know. */
export async function listenAs(w: World, app: Id<'apps'>): Promise<Receiver> {
  const target = await receiver();
  const hook = { url: target.url, active: true, contentType: 'json', secret: null, baseUrl: w.url } as const;
  await w.change((scope) => insertAppHook(scope.tx, { app, ...hook, now: w.clock.now }));
  return target;
}
