import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { changePassword } from '#resources/platform/oauth/index.ts';
import { cheapHash, password } from '#test/resources/platform/oauth/accounts.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { sessionCookie } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const withPassword = async (): Promise<Account> => {
  const account = await w.user();
  await w.change((scope) => changePassword(scope, account.id, cheapHash(password)));
  return account;
};
const countSessions = async ({ id }: Account) =>
  (await w.db.selectFrom('sessions').select('id').where('account_id', '=', id).execute()).length;

test('a person changes the password and ends a session in a browser, with and without scripts', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const ada = await withPassword();
    await sessionCookie(w, ada);
    const tab = await openTab(w, undefined, { javaScriptEnabled });
    await visit(tab, '/login?return_to=%2Fsettings%2Fsessions');
    await tab.page.getByLabel('User name').fill(ada.login);
    await tab.page.getByLabel('Password').fill(password);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByText('this one').waitFor({ timeout: 5_000 });
    await tab.page.getByRole('button', { name: 'End', exact: true }).click();
    await tab.page.getByText('No other browser is signed in as you.').waitFor();
    expect(await countSessions(ada)).toBe(1);
    await tab.page.getByRole('navigation', { name: 'Settings' }).getByText('Password').click();
    await tab.page.getByLabel('Present password').fill('a wrong password');
    await tab.page.getByLabel('New password', { exact: true }).fill('another long password');
    await tab.page.getByLabel('The new password again').fill('another long password');
    await tab.page.getByRole('button', { name: 'Change the password' }).click();
    await tab.page.getByRole('alert').waitFor();
    await tab.page.getByLabel('Present password').fill(password);
    await tab.page.getByLabel('New password', { exact: true }).fill('another long password');
    await tab.page.getByLabel('The new password again').fill('another long password');
    await tab.page.getByRole('button', { name: 'Change the password' }).click();
    await tab.page.getByText('Your password was changed.').waitFor();
    // The browser reports the refused form as a failed request.
    expect(tab.problems.filter((text) => !text.includes('422'))).toEqual([]);
  }
});

test('nothing is found against accessibility', async () => {
  const ada = await withPassword();
  await sessionCookie(w, ada);
  const tab = await openTab(w, ada);
  for (const path of ['/login', '/logout', '/settings/sessions', '/settings/password']) {
    await visit(tab, path);
    await expectAccessible(tab);
  }
});
