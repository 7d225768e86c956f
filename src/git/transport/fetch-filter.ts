// The filter of a fetch may name a blob with path patterns (`sparse:oid`). Git reports a corrupt repository if that blob is
// missing, so it is looked up first.
import { GitError } from '../errors.ts';
import { openObjects } from '../objects/objects.ts';
import { findRevision } from '../refs/resolve.ts';
import type { GitRepository } from '../repo.ts';
import { takePacket } from './pkt-line.ts';

/** The error of a fetch whose filter names a missing object. */
export class MissingFilter extends GitError {
  constructor(name: string) {
    super('invalid', `The filter sparse:oid=${name} names nothing in this repository`);
  }
}

/** Passes on a fetch client's data. @throws MissingFilter */
export async function* checkFilters(repo: GitRepository, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const read = packetReader();
  for await (const chunk of chunks) {
    for (const name of read(chunk).flatMap(sparseNames)) await checkPresence(repo, name);
    yield chunk;
  }
}

const filterLine = Buffer.from('filter ');

/** Reads the filters in a stream of packets, chunk by chunk. Git itself reports protocol errors. */
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

/** The blobs that a filter names. Several filters are joined as `combine:one+other`, each with URL escaping. */
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

/** A revision that `findRevision` supports, with a path. Git handles other syntax. */
const blobName = /^([^\s\0:@^~{}]+)(?::([^\0]+))?$/;

async function checkPresence(repo: GitRepository, name: string): Promise<void> {
  const [, revision, path] = blobName.exec(name) ?? [];
  if (revision === undefined) return;
  const found = await findRevision(repo, revision);
  if (found && path === undefined) return;
  await using reader = await openObjects(repo);
  if (!found || !(await reader.findInfo(found.oid, { path: path ?? '' }))) throw new MissingFilter(name);
}
