import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

type NewAppHook = {
  app: Id<'apps'>;
  url: string;
  active: boolean;
  contentType: 'json' | 'form';
  /** Sealed with the context `secretContext('secret', { app_id })`. */
  secret: Buffer | null;
  /** The server's address in the request that created the webhook. */
  baseUrl: string;
  now: Date;
};

/** Inserts the webhook of an app. The app's installations determine which events it gets. */
export const insertAppHook = (tx: Tx, { app, url, active, contentType, secret, baseUrl, now }: NewAppHook) =>
  tx
    .insertInto('webhooks')
    .values({
      app_id: app,
      events: ['*'],
      url,
      active,
      content_type: contentType,
      secret_sealed: secret,
      base_url: baseUrl,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
