// An installation that holds every kind of thing there is: what the families' samples make, in a private and in a public
// repository. Each text that is written has a mark, so that tests find where it is shown.
import { randomBytes } from 'node:crypto';
import type { Account } from '#access/viewer.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { resourcesOf } from '#endpoint/path-resource.ts';
import { allEndpoints } from '#resources/all.ts';
import { callers, fill, makeOnce, samples } from '#test/conformance/children.ts';
import type { Client } from '#test/support/client.ts';
import { commitFiles } from '#test/support/commit.ts';
import { endpointOf } from '#test/support/conformance.ts';
import type { SampleStage } from '#test/support/samples.ts';
import { sshKey } from '#test/support/ssh-key.ts';
import type { World } from '#test/support/world.ts';
import { makeAttacked } from './attacked.ts';

/** Those who look at the installation. A visitor has no account. */
export type Viewers = Readonly<Record<'owner' | 'reader' | 'outsider', Account>> & { readonly visitor: undefined };
export type ViewerName = keyof Viewers;
export const viewerNames: readonly ViewerName[] = ['owner', 'reader', 'outsider', 'visitor'];

/** A path of the API that exists, and the caller who reads it as an owner. */
type Sampled = { readonly stage: SampleStage; readonly endpoint: Endpoint; readonly client: Client; readonly path: string };

export type Installation = {
  readonly viewers: Viewers;
  /** The organization that only its members see into: its repository is private. */
  readonly hidden: SampleStage;
  readonly open: SampleStage;
  /** The path of a public repository, all of whose texts attack who reads them. */
  readonly attacked: string;
  /** Everything that can be read. */
  readonly sampled: readonly Sampled[];
};

const marked = /^(title|body|description|message|summary|text|commit_message|commit_title|note|notes|reason_text)$/;

/** A mark is one word of letters and digits, so that it survives in addresses, Markdown and HTML. */
export const marksIn = (text: string): Set<string> => new Set(text.match(/zq[a-z0-9]+zq/g));

const wordOf = (...parts: readonly string[]): string =>
  `zq${parts
    .join('')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')}zq`;

/** A body with a mark in each of its texts, which tells what wrote it. */
function markTexts(value: unknown, mark: (field: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => markTexts(item, mark));
  if (typeof value !== 'object' || value === null) return value;
  const isDraft = 'draft' in value && value.draft === true;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      typeof inner === 'string' && inner !== '' && marked.test(name)
        ? [name, `${inner} ${mark(isDraft ? `draft${name}` : name)}`]
        : [name, markTexts(inner, mark)],
    ),
  );
}

/** The same client, whose texts are marked. */
function marking(client: Client, stem: string): Client {
  const withMarks = (method: string, path: string, body: unknown): unknown => {
    const { id = '' } = endpointOf(method, path) ?? {};
    return markTexts(body, (field) => wordOf(stem, id, field));
  };
  return {
    ...client,
    post: (path, body, options) => client.post(path, withMarks('POST', path, body), options),
    put: (path, body, options) => client.put(path, withMarks('PUT', path, body), options),
    patch: (path, body, options) => client.patch(path, withMarks('PATCH', path, body), options),
  };
}

type StageNames = { readonly org: string; readonly place: SampleStage['place']; readonly isPrivate: boolean };

async function makeStage(world: World, viewers: Viewers, { org: login, place, isPrivate }: StageNames): Promise<SampleStage> {
  const { owner, reader } = viewers;
  const org = await world.org(owner, login);
  const name = wordOf(login, 'repository');
  const repo = await world.repo(org, { name, visibility: isPrivate ? 'private' : 'public', by: owner });
  await world.collaborator(repo, reader, 'read');
  const text = (what: string) => wordOf(login, what);
  await commitFiles(
    world,
    repo,
    {
      'here.txt': `here ${text('file')}\n`,
      'README.md': `# ${text('readme')}\n\nSee #1 and [the guide](docs/guide.md).\n`,
      'docs/guide.md': `# Guide ${text('guide')}\n`,
      [`src/${text('filename')}.ts`]: `export const word = '${text('source')}';\n`,
      'data/table.csv': `a,b\n1,${text('table')}\n`,
      'data/picture.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><path d="M0 0h4v4z"/></svg>\n',
    },
    `Write ${text('commit')}`,
  );
  const clientOf = async (who: Account | string | undefined) => marking(await world.as(who), login);
  return { ...world, as: clientOf, world, place, client: await clientOf(owner), owner, org, repo };
}

/** Things whose names are marked too, which samples choose themselves. */
async function makeNamed({ client, org, repo, world }: SampleStage): Promise<void> {
  const at = `/repos/${org.login}/${repo.name}`;
  const name = (what: string) => wordOf(org.login, what);
  const { body: branch } = await client.get(`${at}/git/ref/heads/${repo.default_branch}`);
  const { sha } = branch.object;
  const made: readonly (readonly [method: 'post' | 'put', path: string, body: object])[] = [
    ['post', `${at}/git/refs`, { ref: `refs/heads/${name('branch')}`, sha }],
    ['post', `${at}/git/refs`, { ref: `refs/tags/${name('tag')}`, sha }],
    ['post', `${at}/labels`, { name: name('label'), color: 'aa3300' }],
    ['post', `${at}/releases`, { tag_name: name('draft'), name: name('draftname'), draft: true }],
    ['post', `${at}/releases`, { tag_name: name('release'), name: name('releasename'), target_commitish: sha }],
    ['post', `${at}/hooks`, { config: { url: `https://example.com/${name('hook')}` } }],
    ['post', `${at}/keys`, { title: name('deploykey'), key: sshKey(randomBytes(32)) }],
    ['post', `${at}/statuses/${sha}`, { state: 'success', context: name('status'), description: name('statustext') }],
    ['post', `${at}/actions/variables`, { name: name('variable'), value: name('value') }],
    ['put', `${at}/environments/${name('environment')}`, {}],
    ['put', `${at}/topics`, { names: [name('topic')] }],
    ['post', `${at}/autolinks`, { key_prefix: `${name('autolink')}-`, url_template: 'https://example.com/<num>' }],
    ['post', `/orgs/${org.login}/teams`, { name: name('team'), privacy: 'secret' }],
    ['post', `/orgs/${org.login}/hooks`, { name: 'web', config: { url: `https://example.com/${name('orghook')}` } }],
    ['post', `/orgs/${org.login}/actions/variables`, { name: name('orgvariable'), value: 'x', visibility: 'all' }],
    ['post', `${at}/issues`, { title: name('issuetitle'), body: name('issuebody'), labels: [name('label')] }],
  ];
  for (const [method, path, body] of made) {
    const { status, text } = await client[method](path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  }
  await world.settle();
}

const canBeMade = (endpoint: Endpoint): boolean =>
  resourcesOf(endpoint).every((resource) => samples.has(resource) || Object.keys(resource.words).length === 0);

async function sampleOf(stage: SampleStage, endpoint: Endpoint): Promise<Sampled> {
  const words = { basehead: 'main...main', ref: 'main', path: 'here.txt', ...(await makeOnce(stage, endpoint)) };
  const makers = resourcesOf(endpoint).flatMap((resource) => callers.get(resource) ?? []);
  return { stage, endpoint, client: (await makers[0]?.(stage)) ?? stage.client, path: fill(endpoint.path, words) };
}

/** Makes everything. It takes some ten seconds, so once for each file of tests. */
export async function makeInstallation(world: World): Promise<Installation> {
  const viewers = {
    owner: await world.user('ada', { site_admin: true }),
    reader: await world.user('rob'),
    outsider: await world.user('eve'),
    visitor: undefined,
  };
  const hidden = await makeStage(world, viewers, { org: 'acme', place: 'here', isPrivate: true });
  const open = await makeStage(world, viewers, { org: 'umbrella', place: 'elsewhere', isPrivate: false });
  const carl = await world.user('carl');
  const readable = allEndpoints.filter((endpoint) => endpoint.method === 'GET' && canBeMade(endpoint));
  const sampled: Sampled[] = [];
  for (const stage of [hidden, open]) {
    await world.member(stage.org, carl);
    for (const endpoint of readable) sampled.push(await sampleOf(stage, endpoint));
  }
  await makeNamed(hidden);
  await makeNamed(open);
  const attacked = await makeAttacked(open);
  return { viewers, hidden, open, attacked: `/${open.org.login}/${attacked.name}`, sampled };
}
