import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LimitValues } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import type { releaseLimits } from '#resources/collaboration/releases/index.ts';
import { checkTagName, isContentType, safeName } from '#resources/collaboration/releases/index.ts';
import { type Address, assetAddress, type RepositoryRecord } from '../archive/format.ts';
import type { ReleaseAssetRecord, ReleaseRecord } from '../archive/said-format.ts';
import type { Contents } from './check.ts';
import { fileAt, type Pages } from './pages.ts';
import { refused } from './unpack.ts';

/**
 * Refuses releases that can't be here, and files of theirs that aren't in the archive. What bytes these have is seen when they
 * are stored.
 */
export function releasesToCheck(
  pages: Pages,
  { users, organizations }: Pick<Contents, 'users' | 'organizations'>,
  limits: LimitValues<typeof releaseLimits>,
) {
  const tags = new Set<string>();
  const files = new Set<string>();

  const checkFile = async (login: string, repository: RepositoryRecord, { url, asset_url, size }: ReleaseAssetRecord) => {
    const id = Number(/\/([1-9]\d{0,15})$/.exec(asset_url)?.[1]);
    const name = fileAt(asset_url);
    if (asset_url !== assetAddress(login, repository.name, id) || !pages.names.has(name))
      throw refused(`${url} has no file at ${asset_url}`);
    if (files.has(name)) throw refused(`${asset_url} is named twice`);
    files.add(name);
    const there = (await stat(join(pages.folder, name))).size;
    if (there !== size) throw refused(`${url} has ${there} bytes, and not ${size}`);
  };

  return async (one: ReleaseRecord, repository: RepositoryRecord): Promise<void> => {
    const { url, tag_name, state, immutable, published_at, release_assets: assets } = one;
    if (isRefused(() => checkTagName(tag_name))) throw refused(`${url} has a tag that can't be`);
    if (state === 'published' && published_at === null) throw refused(`${url} is published, and doesn't tell when`);
    if (state === 'draft' && immutable) throw refused(`${url} is a draft, and immutable`);
    const tag = `${one.repository} ${tag_name}`;
    if (state === 'published' && tags.has(tag)) throw refused(`${url} has the tag of another release`);
    if (state === 'published') tags.add(tag);
    if (assets.length > limits.assets) throw refused(`${url} has more than ${limits.assets} files (releases.assets)`);
    if (new Set(assets.map(({ name }) => name)).size < assets.length) throw refused(`${url} has two files of one name`);
    const login = loginOf(repository.owner, { users, organizations });
    for (const asset of assets) {
      checkAsset(asset, limits);
      await checkFile(login, repository, asset);
    }
  };
}

function checkAsset({ url, name, content_type, size }: ReleaseAssetRecord, limits: LimitValues<typeof releaseLimits>): void {
  if (isRefused(() => safeName(name)) || safeName(name) !== name) throw refused(`${url} has a name that no file can have`);
  if (!isContentType(content_type)) throw refused(`${url} has no media type`);
  if (size > limits.assetSize) throw refused(`${url} has more than ${limits.assetSize} bytes (releases.assetSize)`);
}

const loginOf = (owner: Address, { users, organizations }: Pick<Contents, 'users' | 'organizations'>): string =>
  (users.get(owner) ?? organizations.get(owner))?.login ?? '';

/** Whether a rule refuses something. */
function isRefused(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}
