// Reads pages as a browser without scripts does.
import { expect } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { addDays } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import type { World } from './world.ts';

export type ShownPage = { status: number; headers: Headers; text: string };

/** A new session of an account, as the value of the `Cookie` header. */
export async function sessionCookie({ db, clock }: World, account: Account): Promise<string> {
  const token = newToken('');
  await db
    .insertInto('sessions')
    .values({
      hash: hashToken(token),
      account_id: account.id,
      created_at: clock.now,
      signed_in_at: clock.now,
      // This prevents a write on its first use, so that statements can be counted.
      last_used_at: clock.now,
      expires_at: addDays(clock.now, 14),
    })
    .execute();
  return `hearth_session=${token}`;
}

export type PageClient = {
  get(path: string, headers?: Record<string, string>): Promise<ShownPage>;
  /** The statements of a page, including the one for the session. */
  statements(path: string): Promise<number>;
};

/** Reads pages as an account, or as a visitor. Redirects aren't followed. */
export async function pagesAs(world: World, account?: Account): Promise<PageClient> {
  const cookie = account === undefined ? {} : { cookie: await sessionCookie(world, account) };
  const all = { accept: 'text/html', ...cookie };
  return {
    async get(path, headers = {}) {
      const response = await fetch(`${world.url}${path}`, { headers: { ...all, ...headers }, redirect: 'manual' });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    async statements(path) {
      const ask = () => world.hearth.app.inject({ method: 'GET', url: path, headers: all });
      await ask(); // fills caches
      const { result, statements } = await countStatements(ask);
      expect(result.statusCode, result.payload).toBe(200);
      return statements.length;
    },
  };
}
