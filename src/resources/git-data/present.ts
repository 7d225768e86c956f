import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { path } from '#endpoint/links.ts';
import type { ObjectType } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Tag } from '#git/objects/parse-commit.ts';
import type { ListedEntry } from '#git/objects/tree-list.ts';
import type { Ref } from '#git/refs/refs.ts';
import { nodeId } from '#lib/id.ts';
import { objectUrl, presentMessage, presentPerson, presentVerification, type RepositoryUrls } from '#resources/commits/index.ts';
import { base64Lines, base64Pieces } from './content.ts';
import { type GitBlob, type GitRef, type GitTag, type GitTree, objectTypes } from './schemas.ts';

/** The address of an object by its kind. */
const objectLink = (place: RepositoryUrls, oid: Oid, type: ObjectType) => ({ sha: oid, type, url: objectUrl(place, oid, type) });

const aboutBlob = (place: RepositoryUrls, { oid, size }: { oid: Oid; size: number }): Omit<GitBlob, 'content'> => ({
  sha: oid,
  node_id: nodeId('Blob', `${place.id}:${oid}`),
  url: objectUrl(place, oid, 'blob'),
  size,
  encoding: 'base64',
});

export const presentBlob = (place: RepositoryUrls, oid: Oid, data: Buffer): GitBlob => ({
  ...aboutBlob(place, { oid, size: data.length }),
  content: base64Lines(data),
});

/** The text of what `presentBlob` gives, with the content as it comes. Destroying the stream destroys the content's. */
export function streamBlob(place: RepositoryUrls, { oid, size }: { oid: Oid; size: number }, content: Readable): Readable {
  async function* text() {
    yield `${JSON.stringify(aboutBlob(place, { oid, size })).slice(0, -1)},"content":"`;
    yield* base64Pieces(content);
    yield '"}';
  }
  const stream = Readable.from(text(), { objectMode: false });
  // A stream that is closed unread doesn't begin the generator, which would close the content.
  return stream.once('close', () => content.destroy());
}

type Listing = { oid: Oid; entries: readonly ListedEntry[]; truncated: boolean };

const presentEntry = (
  place: RepositoryUrls,
  { path: name, mode, type, oid: sha, size }: ListedEntry,
): GitTree['tree'][number] => {
  const entry = { path: name, mode, type: type === 'tree' || type === 'commit' ? type : ('blob' as const), sha };
  // A submodule's commit lies in another repository.
  if (entry.type === 'commit') return entry;
  return { ...entry, ...(size === undefined ? {} : { size }), url: objectLink(place, sha, entry.type).url };
};

export const presentTree = (place: RepositoryUrls, { oid, entries, truncated }: Listing): GitTree => ({
  sha: oid,
  url: objectUrl(place, oid, 'tree'),
  tree: entries.map((entry) => presentEntry(place, entry)),
  truncated,
});

const entriesPerBatch = 500;

/** The text of what `presentTree` gives, some entries at a time: a long listing at once would keep other requests waiting. */
export function streamTree(place: RepositoryUrls, { oid, entries, truncated }: Listing): Readable {
  async function* text() {
    yield `{"sha":"${oid}","url":${JSON.stringify(objectUrl(place, oid, 'tree'))},"tree":[`;
    for (let at = 0; at < entries.length; at += entriesPerBatch) {
      const some = entries.slice(at, at + entriesPerBatch).map((entry) => JSON.stringify(presentEntry(place, entry)));
      yield `${at === 0 ? '' : ','}${some.join(',')}`;
      await setImmediate();
    }
    yield `],"truncated":${truncated}}`;
  }
  return Readable.from(text(), { objectMode: false });
}

export const presentRef = (place: RepositoryUrls, { name, oid, type }: Pick<Ref, 'name' | 'oid' | 'type'>): GitRef => ({
  ref: name,
  node_id: nodeId('Ref', `${place.id}:${name}`),
  url: path(`${place.url}/git`, ...name.split('/')),
  object: objectLink(place, oid, type),
});

/** Old tools wrote tags without a tagger. The reply needs one, so it is empty and at the epoch. */
const nobody = { name: '', email: '', date: new Date(0), zone: 0 };

const typeOf = ({ targetType }: Tag): ObjectType => objectTypes.find((type) => type === targetType) ?? 'commit';

export const presentTag = (place: RepositoryUrls, tag: Tag): GitTag => ({
  sha: tag.oid,
  node_id: nodeId('Tag', `${place.id}:${tag.oid}`),
  url: objectUrl(place, tag.oid, 'tag'),
  tag: tag.name,
  message: presentMessage(tag.message),
  tagger: presentPerson(tag.tagger ?? nobody),
  object: objectLink(place, tag.target, typeOf(tag)),
  verification: presentVerification(tag),
});
