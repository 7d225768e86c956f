// A real browser for tests: the one that HEARTH_TEST_BROWSER names, that of the machine, or the one of the package
// @sparticuz/chromium, which `HEARTH_TEST_BROWSER=package` asks for.
import { existsSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { atEndOfFile } from './end-of-file.ts';
import { sessionCookie } from './page-client.ts';
import type { World } from './world.ts';

const ofMachine = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

let opened: Promise<Browser> | undefined;

/** The program to run; undefined for that of the package. */
function namedBrowser(): string | undefined {
  const named = process.env.HEARTH_TEST_BROWSER ?? ofMachine.find((file) => existsSync(file));
  return named === 'package' ? undefined : named;
}

/** Whether pages look the same everywhere, since the package brings the browser and its fonts. */
export const isPackagedBrowser = (): boolean => namedBrowser() === undefined;

async function launch(): Promise<Browser> {
  const named = namedBrowser();
  if (named !== undefined) return chromium.launch({ executablePath: named, args: ['--no-sandbox', '--disable-gpu'] });
  // The package unpacks the libraries that a bare machine lacks only if it takes itself to be there.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  const executablePath = await packaged.executablePath();
  // One process for everything ends with the first context that is closed.
  const args = packaged.args.filter((argument) => argument !== '--single-process');
  return chromium.launch({ executablePath, args });
}

type ContextOptions = Parameters<Browser['newContext']>[0];

/** A tab of the browser, and what went wrong in it. */
export type Tab = {
  page: Page;
  /** Messages of errors, of scripts and of the content security policy. */
  problems: string[];
};

/** Opens a tab as an account, or as a visitor. It is closed after the last test of the file. */
export async function openTab(world: World, account?: Account, options: ContextOptions = {}): Promise<Tab> {
  if (!opened) atEndOfFile(closeBrowser);
  opened ??= launch();
  const browser = await opened;
  const context: BrowserContext = await browser.newContext({
    baseURL: world.url,
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  atEndOfFile(() => context.close());
  if (account) {
    const [name = '', value = ''] = (await sessionCookie(world, account)).split('=');
    await context.addCookies([{ name, value, url: world.url, httpOnly: true, sameSite: 'Lax' }]);
  }
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  return { page, problems };
}

/** Opens a page, and requires that it is found and that nothing goes wrong in it. */
export async function visit({ page, problems }: Tab, path: string): Promise<void> {
  const response = await page.goto(path);
  expect(response?.status(), path).toBe(200);
  expect(problems, path).toEqual([]);
}

async function closeBrowser(): Promise<void> {
  const browser = await opened;
  opened = undefined;
  await browser?.close();
}

/** Requires that axe finds nothing against WCAG 2.2 AA in the page that a tab shows, in light and in dark. */
export async function expectAccessible({ page }: Tab): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
    expect(found, `${page.url()} in ${colorScheme}`).toEqual([]);
  }
}
