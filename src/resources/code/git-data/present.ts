import { Readable } from 'node:stream';
import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { ObjectType } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Tag } from '#git/objects/parse-commit.ts';
import type { ListedEntry } from '#git/objects/tree-list.ts';
import type { Ref } from '#git/refs/refs.ts';
import { nodeId } from '#lib/id.ts';
import { nextTurn } from '#lib/turns.ts';
import { objectUrl, presentMessage, presentPerson, type RepositoryUrls, verificationOf } from '#resources/code/commits/index.ts';
import { base64Lines, base64Pieces } from './content.ts';
import { type GitBlob, type GitRef, type GitTag, type GitTree, objectTypes } from './schemas.ts';

/** The address of an object, by its type. */
const objectLink = (urls: RepositoryUrls, oid: Oid, type: ObjectType) => ({ sha: oid, type, url: objectUrl(urls, oid, type) });

const blobFields = (urls: RepositoryUrls, { oid, size }: { oid: Oid; size: number }): Omit<GitBlob, 'content'> => ({
  sha: oid,
  node_id: nodeId('Blob', `${urls.id}:${oid}`),
  url: objectUrl(urls, oid, 'blob'),
  size,
  encoding: 'base64',
});

export const presentBlob = (urls: RepositoryUrls, oid: Oid, data: Buffer): GitBlob => ({
  ...blobFields(urls, { oid, size: data.length }),
  content: base64Lines(data),
});

/** Streams the JSON of `presentBlob`. Destroying the stream destroys the content's stream. */
export function streamBlob(urls: RepositoryUrls, { oid, size }: { oid: Oid; size: number }, content: Readable): Readable {
  async function* text() {
    yield `${JSON.stringify(blobFields(urls, { oid, size })).slice(0, -1)},"content":"`;
    yield* base64Pieces(content);
    yield '"}';
  }
  const stream = Readable.from(text(), { objectMode: false });
  // The generator closes the content, but it never starts if the stream is closed before it is read.
  return stream.once('close', () => content.destroy());
}

type Listing = { oid: Oid; entries: readonly ListedEntry[]; truncated: boolean };

const presentEntry = (urls: RepositoryUrls, { path: name, mode, type, oid: sha, size }: ListedEntry): GitTree['tree'][number] => {
  const entry = { path: name, mode, type: type === 'tree' || type === 'commit' ? type : ('blob' as const), sha };
  // A submodule's commit is in another repository.
  if (entry.type === 'commit') return entry;
  return { ...entry, ...(size === undefined ? {} : { size }), url: objectLink(urls, sha, entry.type).url };
};

export const presentTree = (urls: RepositoryUrls, { oid, entries, truncated }: Listing): GitTree => ({
  sha: oid,
  url: objectUrl(urls, oid, 'tree'),
  tree: entries.map((entry) => presentEntry(urls, entry)),
  truncated,
});

const entriesPerBatch = 500;

/** Streams the JSON of `presentTree` in batches, so that a long listing doesn't block other requests. */
export function streamTree(urls: RepositoryUrls, { oid, entries, truncated }: Listing): Readable {
  async function* text() {
    yield `{"sha":"${oid}","url":${JSON.stringify(objectUrl(urls, oid, 'tree'))},"tree":[`;
    for (let at = 0; at < entries.length; at += entriesPerBatch) {
      const batch = entries.slice(at, at + entriesPerBatch).map((entry) => JSON.stringify(presentEntry(urls, entry)));
      yield `${at === 0 ? '' : ','}${batch.join(',')}`;
      await nextTurn();
    }
    yield `],"truncated":${truncated}}`;
  }
  return Readable.from(text(), { objectMode: false });
}

export const presentRef = (urls: RepositoryUrls, { name, oid, type }: Pick<Ref, 'name' | 'oid' | 'type'>): GitRef => ({
  ref: name,
  node_id: nodeId('Ref', `${urls.id}:${name}`),
  url: path(`${urls.url}/git`, ...name.split('/')),
  object: objectLink(urls, oid, type),
});

/** Old tools wrote tags without a tagger. The reply needs one, so it is empty and at the epoch. */
const noTagger = { name: '', email: '', date: new Date(0), zone: 0 };

const typeOf = ({ targetType }: Tag): ObjectType => objectTypes.find((type) => type === targetType) ?? 'commit';

export async function presentTag(scope: Scope, urls: RepositoryUrls, tag: Tag): Promise<GitTag> {
  return {
    sha: tag.oid,
    node_id: nodeId('Tag', `${urls.id}:${tag.oid}`),
    url: objectUrl(urls, tag.oid, 'tag'),
    tag: tag.name,
    message: presentMessage(tag.message),
    tagger: presentPerson(tag.tagger ?? noTagger),
    object: objectLink(urls, tag.target, typeOf(tag)),
    verification: await verificationOf(scope, urls, tag),
  };
}
