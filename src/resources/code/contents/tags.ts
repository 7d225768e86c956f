import type { Static } from 'typebox';
import { path } from '#endpoint/links.ts';
import type { Ref } from '#git/refs/refs.ts';
import { nodeId } from '#lib/id.ts';
import { commitLink, type RepositoryUrls } from '#resources/code/commits/index.ts';
import type { RepositoryTag } from './schemas.ts';

/** Tags with their commits. Tags of files and folders, which Git allows, aren't shown. */
export const presentTags = (urls: RepositoryUrls, refs: readonly Ref[]): Static<typeof RepositoryTag>[] =>
  refs.flatMap((ref) => {
    const target = ref.peeled ?? ref;
    if (target.type !== 'commit') return [];
    const { sha, url } = commitLink(urls, target.oid);
    return {
      name: ref.name.slice('refs/tags/'.length),
      node_id: nodeId('Ref', `${urls.id}:${ref.name}`),
      commit: { sha, url },
      zipball_url: path(`${urls.url}/zipball`, ...ref.name.split('/')),
      tarball_url: path(`${urls.url}/tarball`, ...ref.name.split('/')),
    };
  });
