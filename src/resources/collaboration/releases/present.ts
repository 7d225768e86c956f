import type { Account } from '#access/viewer.ts';
import { type Links, type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { presentTexts } from '#resources/collaboration/issues/index.ts';
import { presentRollup } from '#resources/collaboration/reactions/index.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { type AssetRow, loadAssets } from './asset-store.ts';
import type { Release, ReleaseAsset } from './schemas.ts';
import type { ReleaseRow } from './store.ts';

type Accounts = ReadonlyMap<Id<'accounts'>, Account>;
type AddressedRelease = Pick<ReleaseRow, 'id' | 'tag_name' | 'draft'>;

/** Several drafts may have the same tag name, so their browser addresses use another word. */
const addressWord = ({ id, tag_name, draft }: AddressedRelease): string => (draft ? `untagged-${id}` : tag_name);

/** The draft for a word of an address, if there is one. */
export const draftOf = (word: string): Id<'releases'> | undefined => {
  const id = /^untagged-(\d{1,15})$/.exec(word)?.[1];
  return id === undefined ? undefined : (Number(id) as Id<'releases'>);
};

function presentAsset(
  links: Links,
  repo: NamedRepository,
  { release, row, accounts }: { release: AddressedRelease; row: AssetRow; accounts: Accounts },
): ReleaseAsset {
  const { owner, name } = repo;
  return {
    url: path(`${repositoryUrl(links, repo)}/releases/assets`, row.id),
    browser_download_url: path(links.html, owner.login, name, 'releases', 'download', addressWord(release), row.name),
    id: row.id,
    node_id: nodeId('ReleaseAsset', row.id),
    name: row.name,
    label: row.label,
    state: 'uploaded',
    content_type: row.content_type,
    size: row.size,
    digest: row.digest,
    download_count: row.download_count,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    uploader: presentUserOrNull(links, getOptional(accounts, row.uploader_id)),
  };
}

/** Files of one release. */
export async function presentAssets(
  { db, links }: Scope,
  repo: NamedRepository,
  release: AddressedRelease,
  rows: readonly AssetRow[],
): Promise<ReleaseAsset[]> {
  const accounts = await loadAccounts(db, gather(rows, 'uploader_id'));
  return rows.map((row) => presentAsset(links, repo, { release, row, accounts }));
}

/** A file, with the columns of its release. */
export const presentOneAsset = async (
  scope: Scope,
  repo: NamedRepository,
  row: AssetRow & Pick<ReleaseRow, 'tag_name' | 'draft'>,
): Promise<ReleaseAsset> => firstOrNotFound(await presentAssets(scope, repo, { ...row, id: row.release_id }, [row]));

type Texts = Pick<Release, 'body' | 'body_text' | 'body_html'>;

/** A release with its files, from rendered texts and loaded accounts. */
function presentRelease(
  links: Links,
  repo: NamedRepository,
  { row, assets, accounts, texts }: { row: ReleaseRow; assets: readonly AssetRow[]; accounts: Accounts; texts: Texts },
): Release {
  const api = repositoryUrl(links, repo);
  const url = path(`${api}/releases`, row.id);
  return {
    url,
    html_url: path(links.html, repo.owner.login, repo.name, 'releases', 'tag', addressWord(row)),
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    tarball_url: row.draft ? null : path(`${api}/tarball`, row.tag_name),
    zipball_url: row.draft ? null : path(`${api}/zipball`, row.tag_name),
    id: row.id,
    node_id: nodeId('Release', row.id),
    tag_name: row.tag_name,
    target_commitish: row.target_commitish,
    name: row.name,
    ...texts,
    draft: row.draft,
    prerelease: row.prerelease,
    immutable: row.immutable,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    published_at: timestampOrNull(row.published_at),
    author: presentUserOrNull(links, getOptional(accounts, row.author_id)),
    assets: assets.map((asset) => presentAsset(links, repo, { release: row, row: asset, accounts })),
    reactions: presentRollup(url, row.reactions),
  };
}

/** Releases of a whole page, all of one repository. Their files and users are loaded once for all of them. */
export async function presentReleases(scope: Scope, repo: NamedRepository, rows: readonly ReleaseRow[]): Promise<Release[]> {
  const assets = await loadAssets(scope.db, gather(rows, 'id'));
  const texts = await presentTexts(
    scope,
    rows.map(({ body }) => ({ text: body, repository: { owner: repo.owner.login, repo: repo.name } })),
  );
  return presentAll(scope, repo, { rows, assets, texts });
}

/** A release in webhook payloads, with its unrendered body. `assets` are the files of a deleted release. */
export async function presentReleasePayload(
  scope: Scope,
  repo: NamedRepository,
  row: ReleaseRow,
  assets?: readonly AssetRow[],
): Promise<Release | undefined> {
  const loaded = assets ? new Map([[row.id, [...assets]]]) : await loadAssets(scope.db, [row.id]);
  return (await presentAll(scope, repo, { rows: [row], assets: loaded, texts: [{ body: row.body }] }))[0];
}

async function presentAll(
  { db, links }: Scope,
  repo: NamedRepository,
  {
    rows,
    assets,
    texts,
  }: { rows: readonly ReleaseRow[]; assets: ReadonlyMap<Id<'releases'>, AssetRow[]>; texts: readonly Texts[] },
): Promise<Release[]> {
  const people = [...gather(rows, 'author_id'), ...gather([...assets.values()].flat(), 'uploader_id')];
  const accounts = await loadAccounts(db, people);
  return rows.map((row, at) =>
    presentRelease(links, repo, { row, assets: assets.get(row.id) ?? [], accounts, texts: texts[at] ?? { body: row.body } }),
  );
}
