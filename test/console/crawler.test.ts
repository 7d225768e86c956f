// Walks a filled installation as each of four viewers.
import { beforeAll, describe, expect, test } from 'vitest';
import { openTab } from '#test/support/browser.ts';
import { type Crawl, crawl, endOf, kindOf } from '#test/support/crawler.ts';
import { world } from '#test/support/world.ts';
import { type Installation, makeInstallation, marksIn, type ViewerName, viewerNames } from './installation.ts';
import { notBuilt, notWellFormed } from './not-built.ts';

// biome-ignore lint/suspicious/noExplicitAny: the project doesn't load the types of what runs in the browser
declare const document: any;

const w = await world();

/** The pages that anybody may ask for, whether or not something links there. */
const knownAddresses = [
  '/',
  '/search',
  '/search?q=here',
  '/explain',
  '/shortcuts',
  '/login',
  '/issues',
  '/pulls',
  '/notifications',
];

/** What pages show of the repository that attacks, also where nothing links there yet. */
const attackedPages = (path: string): string[] =>
  [
    '',
    '/issues',
    '/issues/2',
    '/pulls',
    '/pull/1',
    '/pull/1/commits',
    '/pull/1/files',
    '/pull/1/checks',
    '/labels',
    '/milestones',
    '/milestone/1',
    '/branches',
    '/tags',
    '/commits/main',
    '/commit/main',
    '/tree/main',
    '/find/main',
    ...['README.md', 'page.html', 'code.js', 'table.csv', 'picture.svg', 'notes.ipynb', 'LICENSE.txt'].map(
      (name) => `/blob/main/${name}`,
    ),
    '/blame/main/code.js',
    '/releases',
    '/actions',
    '/deployments',
    '/security/code-scanning/1',
    '/settings',
    '/settings/hooks',
  ].map((rest) => path + rest);

/** An address in a reply of the API, with the fields that hold it. */
type Held = { readonly address: string; readonly field: string };

let installation: Installation;
let held: readonly Held[];
let crawls: Readonly<Record<ViewerName, Crawl>>;

/** The fields whose value is an address of this server outside the API, at every depth. */
function* addressesIn(value: unknown, field = ''): Generator<Held> {
  if (typeof value === 'string' && /^\S+$/.test(value) && value.startsWith(`${w.url}/`) && !value.startsWith(`${w.url}/api/`))
    yield { address: value.slice(w.url.length).replaceAll(/\{[^}]*\}/g, ''), field };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* addressesIn(inner, Array.isArray(value) ? field : name);
}

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replace(/\{\w+\*\}/, '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  );
const needed = new Set<string>();

/** Whether a list of paths has the one of an address. */
function isListed(list: readonly string[], address: string): boolean {
  const path = address.replace(/[?#].*$/, '').replace(/(?<=.)\/$/, '');
  const known = list.find((one) => patternOf(one).test(path));
  if (known !== undefined) needed.add(known);
  return known !== undefined;
}
const isNotBuilt = (address: string): boolean => isListed(notBuilt, address);

beforeAll(async () => {
  installation = await makeInstallation(w);
  const all = new Map<string, Held>();
  for (const { client, path } of installation.sampled)
    for (const one of addressesIn((await client.get(path)).body)) all.set(one.address, all.get(one.address) ?? one);
  // There are 1,900 pictures of emoji, all alike.
  held = [...all.values()].filter(({ address }, at) => !address.startsWith('/images/emoji/') || at % 50 === 0);
  const start = [...knownAddresses, ...attackedPages(installation.attacked), ...held.map(({ address }) => address)];
  const entries: [ViewerName, Crawl][] = [];
  for (const name of viewerNames) entries.push([name, await crawl(w, installation.viewers[name], start)]);
  crawls = Object.fromEntries(entries) as Record<ViewerName, Crawl>;
});

/** The texts of the repository that attacks link to anything, and nest what may not be nested. */
const isOfAttacker = (address: string): boolean => address.startsWith(installation.attacked);
const hiddenRoot = () => `/${installation.hidden.org.login}/${installation.hidden.repo.name}`;

test('every address in a reply leads its reader to a page', () => {
  expect(new Set(held.map(({ address }) => kindOf(address))).size).toBeGreaterThan(30);
  const dead = held.flatMap(({ address, field }) => {
    const end = endOf(crawls.owner, address.replace(/#.*$/, ''));
    return end?.status === 200 || isNotBuilt(end?.address ?? address) ? [] : [`${field} ${address}: ${end?.status}`];
  });
  expect(dead).toEqual([]);
});

test('no address of a private repository exists for others', () => {
  const below = held.map(({ address }) => address.replace(/#.*$/, '')).filter((address) => address.startsWith(hiddenRoot()));
  expect(below.length).toBeGreaterThan(30);
  for (const name of ['outsider', 'visitor'] as const) {
    const shown = below.filter((address) => endOf(crawls[name], address)?.status !== 404 && !isNotBuilt(address));
    expect(shown, name).toEqual([]);
  }
});

/** The first line of a range of lines, which the address of an alert may name. */
const startOf = (id: string): string => id.replace(/^(L\d+)-L\d+$/, '$1');

const raw = { accept: 'application/vnd.service.raw+json' };

/** The replies of the API that say the same as a page of files or commits. */
function repliesBehind(address: string): { path: string; headers: Record<string, string> }[] {
  const [, repo = '', kind = '', rest = ''] = /^(\/[^/]+\/[^/]+)\/(tree|find|commits?)\/([^?]+)/.exec(address) ?? [];
  const api = `/repos${repo}`;
  const plain = (path: string) => ({ path, headers: {} });
  const commits = plain(`${api}/commits?sha=${rest}&per_page=100`);
  if (kind === 'commit') return [plain(`${api}/commits/${rest}`)];
  if (kind === 'commits') return [commits];
  if (kind === 'find') return [plain(`${api}/git/trees/${encodeURIComponent(rest)}?recursive=1`)];
  return kind === 'tree' ? [commits, { path: `${api}/readme?ref=${rest}`, headers: raw }] : [];
}

describe.each(viewerNames)('for the %s', (name) => {
  test('no page fails, and no link is dead', () => {
    const dead = [...crawls[name].found.values()].flatMap(({ address, from, status }) => {
      if (status >= 500) return [`${status} ${address}`];
      if (from === undefined || status < 400 || isOfAttacker(from) || isNotBuilt(address)) return [];
      return [`${status} ${address}, linked by ${from}`];
    });
    expect(dead).toEqual([]);
  });

  test('links to a part of a page lead to one that exists', () => {
    const dead = crawls[name].anchors.flatMap(({ from, address, id }) => {
      const end = endOf(crawls[name], address);
      return isOfAttacker(from) || end?.status !== 200 || !end.document || end.document.ids.has(startOf(id))
        ? []
        : [`${address}#${id}, linked by ${from}`];
    });
    expect([...new Set(dead)]).toEqual([]);
  });

  test('every page is well formed', () => {
    const wrong = [...crawls[name].found.values()].flatMap(({ address, document }) =>
      (document?.problems ?? [])
        .filter((problem) => !isListed(notWellFormed, address) && !(isOfAttacker(address) && problem.endsWith('never closed')))
        .map((problem) => `${address}: ${problem}`),
    );
    expect(wrong).toEqual([]);
  });

  test('no page shows what the API hides', async () => {
    const account = installation.viewers[name];
    const client = await w.as(account);
    const visible = new Set<string>();
    for (const { path } of installation.sampled) for (const mark of marksIn((await client.get(path)).text)) visible.add(mark);
    const leaks: string[] = [];
    for (const { address, text, to = '' } of crawls[name].found.values()) {
      const marks = [...marksIn(text + to)].filter((mark) => !visible.has(mark) && !address.includes(mark));
      if (marks.length === 0) continue;
      // Files and commits at revisions that no sample names.
      const replies = await Promise.all(repliesBehind(address).map(({ path, headers }) => client.get(path, { headers })));
      const shown = marksIn(
        replies
          .filter(({ status }) => status === 200)
          .map((reply) => reply.text)
          .join(' '),
      );
      leaks.push(...marks.filter((mark) => !shown.has(mark)).map((mark) => `${mark} at ${address}`));
    }
    expect(leaks).toEqual([]);
    // Who sees nothing would prove nothing.
    expect(visible.size).toBeGreaterThan(10);
  });
});

test('no text runs as a script in a browser', async () => {
  const tab = await openTab(w, installation.viewers.owner);
  const alarms: string[] = [];
  await tab.page.exposeFunction('alarm', () => alarms.push(`script at ${tab.page.url()}`));
  tab.page.on('dialog', (dialog) => {
    alarms.push(`dialog at ${tab.page.url()}`);
    void dialog.dismiss();
  });
  const root = installation.attacked;
  const shown = [...crawls.owner.found.values()].filter(
    ({ address, status, document }) => status === 200 && document && (address.startsWith(`${root}/`) || address === root),
  );
  const some = [...Map.groupBy(shown, ({ address }) => kindOf(address)).values()].flatMap((alike) => alike.slice(0, 4));
  expect(some.length).toBeGreaterThan(2);
  for (const { address } of ['/', '/search?q=alarm', `/${installation.viewers.owner.login}`]
    .map((known) => ({ address: known }))
    .concat(some)) {
    await tab.page.goto(address);
    // Anything that has an effect only when it is pointed at or opened.
    await tab.page.evaluate(() => {
      for (const element of document.querySelectorAll('main *')) element.dispatchEvent(new Event('mouseover'));
      for (const element of document.querySelectorAll('details')) element.open = true;
    });
  }
  // The policy's reports are errors of the console. Pages that don't exist are reported there too.
  const reports = tab.problems.filter((problem) => !problem.includes('status of 404'));
  expect({ alarms, reports }).toEqual({ alarms: [], reports: [] });
});

test('every exception is still needed', () => {
  const built = [...notBuilt, ...notWellFormed].filter((path) => !needed.has(path));
  expect(built, 'these are right by now: delete them from test/console/not-built.ts').toEqual([]);
});
