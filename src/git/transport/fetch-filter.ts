// The filter of a fetch may name a blob that says which paths are wanted (`sparse:oid`). Git calls the repository corrupt where that blob
// is absent, so it is looked for first.
import { GitError } from '../errors.ts';
import { openObjects } from '../objects/objects.ts';
import { findRevision } from '../refs/resolve.ts';
import type { GitRepository } from '../repo.ts';
import { takePacket } from './pkt-line.ts';

/** The error of a fetch whose filter names something that isn't there. */
export class MissingFilter extends GitError {
  constructor(name: string) {
    super('invalid', `The filter sparse:oid=${name} names nothing in this repository`);
  }
}

/** Passes on what a client of a fetch says. @throws MissingFilter */
export async function* checkFilters(repo: GitRepository, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const read = packetReader();
  for await (const chunk of chunks) {
    for (const name of read(chunk).flatMap(sparseNames)) await checkPresence(repo, name);
    yield chunk;
  }
}

const filterLine = Buffer.from('filter ');

/** Reads the filters in a stream of packets, chunk by chunk. What isn't in the protocol is left to Git, which says so. */
function packetReader(): (chunk: Buffer) => string[] {
  let rest: Buffer | undefined = Buffer.alloc(0);
  return (chunk) => {
    const filters: string[] = [];
    if (!rest) return filters;
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    try {
      for (let taken = takePacket(rest); taken; taken = takePacket(rest)) {
        rest = rest.subarray(taken.used);
        if (taken.packet.kind !== 'data' || !taken.packet.data.subarray(0, filterLine.length).equals(filterLine)) continue;
        filters.push(taken.packet.data.toString('utf8', filterLine.length).trimEnd());
      }
    } catch {
      rest = undefined;
    }
    return filters;
  };
}

const sparse = /^sparse:oid=([^\s\0]{1,1024})$/;

/** The blobs that a filter names. Several filters are joined as `combine:one+other`, each escaped as in a URL. */
function sparseNames(filter: string): string[] {
  const parts = filter.startsWith('combine:') ? filter.slice('combine:'.length).split('+').map(unescaped) : [filter];
  return parts.flatMap((part) => sparse.exec(part)?.[1] ?? []);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A revision as `findRevision` knows them, with a path. What else Git understands is left to it. */
const blobName = /^([^\s\0:@^~{}]+)(?::([^\0]+))?$/;

async function checkPresence(repo: GitRepository, name: string): Promise<void> {
  const [, revision, path] = blobName.exec(name) ?? [];
  if (revision === undefined) return;
  const found = await findRevision(repo, revision);
  if (found && path === undefined) return;
  await using reader = await openObjects(repo);
  if (!found || !(await reader.findInfo(found.oid, { path: path ?? '' }))) throw new MissingFilter(name);
}
