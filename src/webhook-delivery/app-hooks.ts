import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

export type NewAppHook = {
  app: Id<'apps'>;
  url: string;
  active: boolean;
  contentType: 'json' | 'form';
  /** Sealed in the context of `secretContext('secret', { app_id })`. */
  secret: Buffer | null;
  /** The address at which the hook's maker reached the server. */
  baseUrl: string;
  now: Date;
};

/** Gives an app its webhook. Its installations decide which events it gets, and from where. */
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
