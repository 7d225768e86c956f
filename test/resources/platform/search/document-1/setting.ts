import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Client } from '#test/support/client.ts';
import { commitFiles } from '#test/support/commit.ts';
import { type World, world } from '#test/support/world.ts';

/** The world that the rules are tried in. */
export const searchable = (): Promise<World> => world({ embeddings: { provider: 'builtin' } });

/** The searches of document 1, and that of repositories, which keeps to the same rules. */
export const kinds = ['code', 'commits', 'issues', 'repositories'] as const;
export type Kind = (typeof kinds)[number];

/** Files below this are searched (document 1, rule 2). */
export const sizeLimit = 384 * 1024;

type Repository = RepositoryRow & { owner: Account };

/** What the rules are tried on: each kind of search finds `widget` in acme/engine, and in acme/secrets, which is private. */
export async function setting() {
  const w = await searchable();
  const { as, user, org, repo, settle } = w;
  const [ada, bob] = [await user('ada'), await user('bob')];
  const acme = await org(ada, 'acme');
  const engine = await repo(acme, { name: 'engine', by: ada });
  const secrets = await repo(acme, { name: 'secrets', visibility: 'private', by: ada });
  const client = await as(ada);
  const widgets = { description: 'Makes widgets and every other widget' };
  for (const name of ['engine', 'secrets']) await client.patch(`/repos/acme/${name}`, widgets);
  await writeIssues(await as(ada), await as(bob));
  await commitFiles(w, engine, { 'README.md': '# Engine\n' }, 'Begin');
  await commitFiles(w, engine, files, 'Repair the widget\n\nIt stalled at 88 miles, and the flux with it.');
  await commitFiles(w, secrets, { 'vault.ts': 'const hiddenWidget = "widget";\n' }, 'Hide the widget');
  await branchOff(await as(ada), engine);
  await settle();
  return { ada, bob, acme, engine, secrets };
}

const files = {
  'README.md': '# Engine\nThe widget of widgets.\n',
  'src/UserName.ts': 'export function getUserName(id: number): string {\n  return lookUpWidget(id);\n}\n',
  'src/widget.py': 'def look_up_widget(id):\n    return None\n',
  'docs/only-widget-in-path.md': 'nothing here\n',
  'big/just-below.txt': 'bulky '.padEnd(sizeLimit - 1, '.'),
  'big/at-the-limit.txt': 'bulky '.padEnd(sizeLimit, '.'),
};

async function writeIssues(hers: Client, his: Client): Promise<void> {
  const leaks = { title: 'Widget leaks 💧 oil', body: 'Since Tuesday.\nThe gasket is 𝒶 gasket.', labels: ['bug'] };
  await hers.post('/repos/acme/engine/issues', leaks);
  await hers.post('/repos/acme/engine/issues/1/comments', { body: 'A 🛠 gasket of the widget is loose' });
  await his.post('/repos/acme/engine/issues', { title: 'Paint', body: 'The widget needs paint' });
  await hers.post('/repos/acme/secrets/issues', { title: 'Hidden widget', body: 'In the vault' });
}

/** A branch beside the default one, with a commit of its own. */
async function branchOff(client: Client, { name, owner }: Repository): Promise<void> {
  const place = `/repos/${owner.login}/${name}`;
  const { body } = await client.get(`${place}/git/ref/heads/main`);
  await client.post(`${place}/git/refs`, { ref: 'refs/heads/side', sha: body.object.sha });
  const content = Buffer.from('const sideways = 1;\n').toString('base64');
  await client.put(`${place}/contents/side.ts`, { message: 'Turn sideways', content, branch: 'side' });
}

export type Asked = { who?: Account | string | undefined; more?: string; textMatch?: boolean; headers?: Record<string, string> };

const clients = new WeakMap<World, Map<unknown, Promise<Client>>>();

/** One client for each caller, since hundreds of questions are asked. */
async function clientFor(who: Asked['who']): Promise<Client> {
  const w = await searchable();
  const known = clients.get(w) ?? new Map<unknown, Promise<Client>>();
  clients.set(w, known);
  const client = known.get(who) ?? w.as(who);
  known.set(who, client);
  return client;
}

/** Asks one kind of search; for nobody unless it is said for whom. */
export async function search(kind: Kind, q: string, { who, more = '', textMatch, headers = {} }: Asked = {}) {
  const accept: Record<string, string> = textMatch ? { accept: 'application/vnd.service.text-match+json' } : {};
  return (await clientFor(who)).get(`/search/${kind}?q=${encodeURIComponent(q)}${more}`, { headers: { ...accept, ...headers } });
}

type Hit = { path?: string; commit?: { message: string }; title?: string; full_name?: string };

/** What the hits of a reply are called: paths, first lines of messages, titles or names. */
export const namesOf = ({ body }: { body: { items: Hit[] } }): string[] =>
  body.items.map(({ path, commit, title, full_name }) => path ?? commit?.message.split('\n')[0] ?? title ?? full_name ?? '?');
