import { expect, test } from 'vitest';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('somebody reads a repository from its front page to a line, its blame and its history', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'private' });
  const sha = await commitFiles(w, repo, {
    'README.md': '# Engine\n\n## Parts\n\n[code](src/main.ts)\n',
    'src/main.ts': Array.from({ length: 60 }, (_, at) => `export const a${at} = ${at}; // line`).join('\n'),
    'docs/pic.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script></svg>',
    'data.csv': 'a,b\n1,2\n',
  });
  const base = `/${ada.login}/${repo.name}`;
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    const { page } = tab;
    page.on('dialog', () => tab.problems.push('a script of a file ran'));
    await visit(tab, base);
    await page.getByText('Clone').click();
    await page.getByText('gh repo clone').or(page.locator('input[value^="gh repo clone"]')).first().waitFor();
    await page.locator('#readme').getByRole('link', { name: 'code' }).click();
    await page.waitForURL(`**${base}/blob/main/src/main.ts`);
    await page.goto(`${base}/blob/main/src/main.ts#L5-L7`);
    if (javaScriptEnabled) {
      expect(await page.locator('.line.marked').count()).toBe(3);
      await page.locator('#L9 > a[data-n]').click();
      expect(new URL(page.url()).hash).toBe('#L9');
      await page.locator('#L11 > a[data-n]').click({ modifiers: ['Shift'] });
      expect(new URL(page.url()).hash).toBe('#L9-L11');
      await page.keyboard.press('y');
      await page.waitForURL(`**${base}/blob/${sha}/src/main.ts#L9-L11`);
      await page.keyboard.press('t');
      await page.waitForURL(`**${base}/find/${sha}`);
      await page.getByRole('textbox', { name: 'Words of the path' }).fill('pic');
      await page.getByText('1 file').waitFor();
    } else {
      await visit(tab, `${base}/find/main`);
      await page.getByRole('textbox', { name: 'Words of the path' }).fill('pic');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByText('1 file').waitFor();
    }
    await page.getByRole('link', { name: 'docs/pic.svg' }).click();
    await page.getByRole('img', { name: 'pic.svg' }).waitFor();
    await visit(tab, `${base}/blame/main/src/main.ts`);
    await visit(tab, `${base}/commits/main`);
    expect(tab.problems).toEqual([]);
  }
});

test('nothing is found against accessibility, and nothing overflows on a phone', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const empty = await w.repo(ada);
  const name = `${'long-name-'.repeat(12)}.ts`;
  await commitFiles(w, repo, {
    'README.md': '# Engine\n\n## Parts\n\n`code`\n',
    [name]: 'export const text = "a"; // why\nimport { b } from "c";\n@d class E { f(): number { return 1 } }\n',
    'data.csv': 'a,b\n1,2\n',
    'book.ipynb': '{"cells":[{"cell_type":"code","source":"x = 1","outputs":[{"text":"1"}]}]}',
  });
  const base = `/${ada.login}/${repo.name}`;
  const tab = await openTab(w, ada);
  const phone = await openTab(w, ada, { viewport: { width: 320, height: 700 } });
  const paths = [
    base,
    `/${ada.login}/${empty.name}`,
    `${base}/tree/main`,
    `${base}/blob/main/${name}`,
    `${base}/blob/main/data.csv`,
    `${base}/blob/main/book.ipynb`,
    `${base}/blame/main/${name}`,
    `${base}/commits/main`,
    `${base}/find/main`,
  ];
  for (const path of paths) {
    await visit(tab, path);
    await expectAccessible(tab);
    await visit(phone, path);
    expect(await phone.page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(320);
  }
});
