// Pictures of pages, light and dark, on a desk and on a phone. With HEARTH_TEST_SCREENSHOTS=compare and the package's browser,
// which brings its fonts, they are compared with those in `screenshots`; HEARTH_TEST_SCREENSHOTS=update writes these anew.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { allPages } from '#console/all.ts';
import { pageRouterOf } from '#server/console/pages-router.ts';
import { isPackagedBrowser, openTab, visit } from '#test/support/browser.ts';
import { commitFiles } from '#test/support/commit.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { world } from '#test/support/world.ts';

// biome-ignore lint/suspicious/noExplicitAny: the project doesn't load the types of what runs in the browser
declare const document: any;
// biome-ignore lint/suspicious/noExplicitAny: the project doesn't load the types of what runs in the browser
declare const innerWidth: any;
// biome-ignore lint/suspicious/noExplicitAny: the project doesn't load the types of what runs in the browser
declare const Image: any;
// biome-ignore lint/suspicious/noExplicitAny: the project doesn't load the types of what runs in the browser
declare const OffscreenCanvas: any;

const w = await world();
const find = pageRouterOf(allPages);
const kept = join(import.meta.dirname, 'screenshots');
const wanted = process.env.HEARTH_TEST_SCREENSHOTS;
const isUpdate = wanted === 'update';
const isCompared = isPackagedBrowser() && (isUpdate || wanted === 'compare');

const ada = await w.user('ada');
const org = await w.org(ada, 'analytical');
const repo = await w.repo(org, { name: 'engine', by: ada });
const api = '/repos/analytical/engine';
const readme =
  '# The engine\n\nIt weaves **algebraic patterns** just as the loom weaves flowers and leaves.\n\n- [x] Mill\n- [ ] Store\n';
const tip = await commitFiles(w, repo, {
  'README.md': readme,
  'src/mill.ts': 'export const turn = (wheel: number): number => wheel * 3;\n',
  'docs/notes.md': '# Notes\n',
});
const client = await w.as(ada);
for (const title of ['The store forgets the last digit', 'Print the table of sines', 'نقاط الضعف في المحرّك'])
  await client.post(`${api}/issues`, {
    title,
    body: 'As seen in **trial 7**, `turn(3)` gives 2.\n\n> It should give 3.',
    labels: ['bug'],
  });
await client.post(`${api}/issues/1/comments`, { body: 'It is the carry. See #2, and [the notes](docs/notes.md).' });
await client.post(`${api}/git/refs`, { ref: 'refs/heads/carry', sha: tip });
await w.settle();

/** The pages, by the name of their picture. */
const pictured: Readonly<Record<string, string>> = {
  home: '/',
  organization: '/analytical',
  repository: '/analytical/engine',
  file: '/analytical/engine/blob/main/src/mill.ts',
  folder: '/analytical/engine/tree/main/src',
  commits: '/analytical/engine/commits/main',
  commit: `/analytical/engine/commit/${tip}`,
  branches: '/analytical/engine/branches',
  issues: '/analytical/engine/issues',
  issue: '/analytical/engine/issues/1',
  labels: '/analytical/engine/labels',
  pulls: '/analytical/engine/pulls',
  search: '/search?q=engine',
};
const built = Object.entries(pictured).filter(([, path]) => find(path) !== undefined);

/** The share of pixels that differ visibly, counted by the browser, since it can read pictures. */
function difference(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const addresses = [one, other].map((png) => `data:image/png;base64,${png.toString('base64')}`);
  return page.evaluate(async (sources) => {
    const pixels = await Promise.all(
      sources.map(async (source) => {
        const picture = new Image();
        picture.src = source;
        await picture.decode();
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        const context = canvas.getContext('2d');
        context?.drawImage(picture, 0, 0);
        return context?.getImageData(0, 0, picture.width, picture.height);
      }),
    );
    const [first, second] = pixels;
    if (!first || !second || first.width !== second.width || first.height !== second.height) return 1;
    let count = 0;
    for (let at = 0; at < first.data.length; at += 4) {
      const far = [0, 1, 2].some((channel) => Math.abs((first.data[at + channel] ?? 0) - (second.data[at + channel] ?? 0)) > 40);
      if (far) count++;
    }
    return count / (first.data.length / 4);
  }, addresses);
}

test.each(['desk', 'phone'] as const)('pages look as they did, on a %s', async (device) => {
  const viewport = device === 'desk' ? { width: 1280, height: 900 } : { width: 390, height: 844 };
  const tab = await openTab(w, ada, { viewport, reducedMotion: 'reduce', timezoneId: 'UTC', locale: 'en-GB' });
  const blank = await openTab(w);
  await tab.page.clock.setFixedTime(w.clock.now);
  const made = await mkdtemp(join(tmpdir(), 'hearth-screenshots-'));
  const changed: string[] = [];
  for (const [name, path] of built)
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.page.emulateMedia({ colorScheme });
      await visit(tab, path);
      // Only what is wider than the window can be moved to the side.
      expect(await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBeLessThanOrEqual(0);
      const file = `${name}-${colorScheme}-${device}.png`;
      const picture = await tab.page.screenshot({ path: join(made, file) });
      expect(picture.length, file).toBeGreaterThan(3_000);
      if (!isCompared) continue;
      if (isUpdate) mkdirSync(kept, { recursive: true });
      if (isUpdate) writeFileSync(join(kept, file), picture);
      const known = join(kept, file);
      const share = existsSync(known) ? await difference(blank.page, readFileSync(known), picture) : 1;
      if (share > 0.005) changed.push(`${file}: ${(share * 100).toFixed(1)} %, now ${join(made, file)}`);
    }
  // Pictures of what changed are kept for who looks at them.
  if (changed.length === 0) atEndOfFile(() => rm(made, { recursive: true, force: true }));
  expect(changed, 'look at them; HEARTH_TEST_SCREENSHOTS=update keeps them').toEqual([]);
});
