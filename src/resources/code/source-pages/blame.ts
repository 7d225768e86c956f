import type { Scope } from '#endpoint/scope.ts';
import { isGitError } from '#git/errors.ts';
import { type BlamedLines, blameLines } from '#git/history/blame.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { isFile } from '#resources/code/contents/index.ts';
import { showLines } from './code-lines.ts';
import { presentLastCommits } from './commit-lines.ts';
import { isBinary } from './file-kinds.ts';
import { sourcePageLimits } from './limits.ts';
import { getEntry, kindOfEntry, type Location, presentLocation } from './location.ts';
import type { ShownBlame } from './schemas.ts';

const maxFile = fixedValue(sourcePageLimits.file);

type Wanted = { line: number; caller: Caller };

/** The lines of a file, each with the commit that wrote it last. Of anything else, what it is. */
export async function showBlame(scope: Scope, location: Location, { line, caller }: Wanted): Promise<ShownBlame> {
  const { gitRepository, commit, path } = location;
  await using reader = await openObjects(gitRepository);
  const entry = await getEntry(reader, location);
  const type = kindOfEntry(entry);
  const none = {
    ...presentLocation(location),
    type,
    size: entry.size,
    parts: [],
    problem: null,
    total: 0,
    previous: null,
    next: null,
  };
  if (!isFile(entry)) return none;
  if (entry.size > maxFile) return { ...none, problem: 'large' };
  const { data } = await reader.get(entry.oid, { type: 'blob', maxSize: maxFile });
  if (isBinary(data)) return { ...none, problem: 'binary' };
  const { from, lines, ...position } = await showLines({ text: data.toString('utf8'), path, line }, caller);
  if (lines.length === 0) return none;
  const blamed = await inTime(() => blameLines(gitRepository, { commit, path, from, to: from + lines.length - 1 }));
  if (!blamed) return { ...none, problem: 'slow', ...position };
  const oids = [...new Set(blamed.map((part) => part.commit))];
  const commits = await presentLastCommits(scope, [...(await reader.findCommits(oids)).values()]);
  const parts = blamed.flatMap((part) => {
    const own = commits.get(part.commit);
    const start = part.from - from;
    return own ? [{ commit: own, from: part.from, lines: lines.slice(start, start + part.count) }] : [];
  });
  return { ...none, parts, total: position.total, previous: position.previous, next: position.next };
}

/** Undefined if it takes too long, or if Git counts the lines in another way. */
async function inTime(blame: () => Promise<readonly BlamedLines[]>): Promise<readonly BlamedLines[] | undefined> {
  try {
    return await blame();
  } catch (error) {
    if (isGitError(error, 'timeout') || isGitError(error, 'too-large') || isGitError(error, 'failed')) return undefined;
    throw error;
  }
}
