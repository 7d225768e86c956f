import { scryptSync } from 'node:crypto';
import type { Account } from '#access/viewer.ts';
import { changePassword } from '#resources/platform/oauth/index.ts';
import type { World } from '#test/support/world.ts';
import { browser } from './browser.ts';

export const password = 'correct horse battery staple';

/** As a password is stored, at the least cost: most tests sign in by it, and try it once more. */
export function cheapHash(text: string): string {
  const [salt, cost] = [Buffer.alloc(16, 's'), { N: 2, r: 8, p: 1 }];
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), scryptSync(text, salt, 32, cost).toString('base64')].join(
    '$',
  );
}

/** Gives a user a password, and a browser that is signed in by it. */
export async function signedInBrowser({ change, url }: World, user: Account) {
  await change((scope) => changePassword(scope, user.id, cheapHash(password)));
  const page = browser(url);
  await page.submit('/login', (await page.get('/login')).text, { login: user.login, password });
  return page;
}
