// A person who has no mouse: everything below is done by keys alone.
import { expect, test } from 'vitest';
import { openTab, visit } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

// biome-ignore lint/suspicious/noExplicitAny: the project doesn't load the types of what runs in the browser
declare const document: any;
// biome-ignore lint/suspicious/noExplicitAny: the project doesn't load the types of what runs in the browser
declare const getComputedStyle: any;

const w = await world();

test('by keys alone, one searches, skips to the content, follows a link and opens a menu', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  await (await w.as(ada)).post(`/repos/${ada.login}/${repo.name}/issues`, { title: 'It leaks', body: 'See the roof.' });
  const tab = await openTab(w, ada);
  const { page } = tab;
  await visit(tab, `/${ada.login}/${repo.name}/issues/1`);
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

  // The first stop skips the bar.
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).hash).toBe('#main');

  // Whatever is focused is seen to be.
  await page.reload();
  const stops = new Set<string>();
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return undefined;
      const { width, height } = element.getBoundingClientRect();
      // A field's frame belongs to its label.
      const isMarked = [element, element.closest('label') ?? element].some((one) => {
        const { outlineStyle, boxShadow } = getComputedStyle(one);
        return outlineStyle !== 'none' || boxShadow !== 'none';
      });
      return {
        name: element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '',
        seen: width > 0 && height > 0 && isMarked,
      };
    });
    if (!stop) break;
    expect(stop, `stop ${step}`).toMatchObject({ seen: true });
    stops.add(stop.name);
  }
  expect(stops.size).toBeGreaterThan(8);

  // A menu is opened and closed.
  const menu = page.locator('details.menu summary').first();
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });

  // The slash leads to the search, and text in it is text.
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('/');
  await page.keyboard.type('roof/');
  expect(await page.getByRole('searchbox').inputValue()).toBe('roof/');

  // A link is followed.
  await page.getByRole('navigation', { name: 'Location' }).getByRole('link', { name: repo.name }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/${ada.login}/${repo.name}`);
});
