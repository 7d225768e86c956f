// The workflow files of a commit.

import { accountCaller } from '#access/rate-limits.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { preparedResults } from '#lib/preparation.ts';
import { isWorkflowPath, type ParsedWorkflow, workflowFolders } from '#workflow-files/file.ts';
import { workflowFileLimits } from '#workflow-files/limits.ts';
import { parseWorkflowFile } from '#workflow-files/parse.ts';
import { countParts } from '#workflow-files/token.ts';
import { triggerProblems } from '#workflow-files/triggers.ts';
import { workflowLimits } from './limits.ts';

/** A workflow file as it is in a commit. */
export type FoundFile = { readonly path: string; readonly content: string };

const maxFiles = fixedValue(workflowLimits.files);
const maxBytes = fixedValue(workflowFileLimits.fileBytes);

/**
 * The workflow files of a commit, ordered by path, those of the neutral folder first. For a file that is too large, the first
 * bytes beyond the limit are enough for the parser to report it.
 */
export async function listWorkflowFiles(gitRepository: GitRepository, commit: Oid): Promise<FoundFile[]> {
  await using reader = await openObjects(gitRepository);
  const folders = await Promise.all(
    workflowFolders.map(async (folder) => {
      const tree = await reader.findFolder(commit, folder);
      const entries = tree ? await reader.getTree(tree.oid) : [];
      return entries
        .filter(({ name, type }) => type === 'blob' && isWorkflowPath(`${folder}/${name}`))
        .map(({ name, oid }) => ({ path: `${folder}/${name}`, oid }));
    }),
  );
  return Promise.all(
    folders
      .flat()
      .slice(0, maxFiles)
      .map(async ({ path, oid }) => {
        if ((await reader.sizeOf(oid)) > maxBytes) return { path, content: ' '.repeat(maxBytes + 1) };
        const { data } = await reader.get(oid, { type: 'blob' });
        return { path, content: data.toString('utf8') };
      }),
  );
}

/** A workflow file of a commit at a path; undefined if it doesn't exist. */
export async function findWorkflowFile(gitRepository: GitRepository, commit: Oid, path: string): Promise<FoundFile | undefined> {
  await using reader = await openObjects(gitRepository);
  const found = await reader.find(commit, { path, maxSize: maxBytes });
  return found?.type === 'blob' ? { path, content: found.data.toString('utf8') } : undefined;
}

/** The approximate size in bytes of one part of a parsed file. */
const bytesOfPart = 128;
const kept = 64 * 1024 * 1024;

const results = preparedResults<OwnedFile, ParsedWorkflow>({
  compute: async ({ path, content, owner }) => withEventsChecked(await parseWorkflowFile(path, content, accountCaller(owner))),
  // Paths may contain line breaks.
  keyOf: ({ path, content }) => JSON.stringify([path, content]),
  sizeOf: (parsed, key) => key.length + ('file' in parsed ? countParts(parsed.file.parts) * bytesOfPart : 0),
  maxBytes: kept,
});

/** A workflow file with the owner of its repository. An owner waits only for their own other files. */
type OwnedFile = FoundFile & { readonly owner: Id<'accounts'> };

/**
 * Parses a workflow file, outside of transactions. The result is cached, since the file of a run is needed again whenever one of
 * its jobs ends.
 * @throws Refusal if too many files of the owner wait to be parsed
 */
export const readWorkflowFile = (file: FoundFile, owner: Id<'accounts'>): Promise<ParsedWorkflow> =>
  results.get({ ...file, owner });

/** Thrown if the workflow files of a commit take too long and others wait. */
export class FilesTakeLong extends Error {}

const readingTime = fixedValue(workflowLimits.readingTime);

/** The time limit for the files of one commit: `check` throws when it is exceeded. There is no limit if nobody waits. */
export type ReadingTime = { check(): void };

export function readingTimeWhere(othersWait: boolean): ReadingTime {
  const until = othersWait ? performance.now() + readingTime : Number.POSITIVE_INFINITY;
  return {
    check() {
      if (performance.now() > until) throw new FilesTakeLong(`Reading the workflow files takes more than ${readingTime} ms`);
    },
  };
}

/**
 * Reads the files of a commit, one after the other. The results are cached, so that the next try gets further.
 * @throws FilesTakeLong if there isn't enough time for all
 */
export async function readWorkflowFiles(
  files: readonly FoundFile[],
  { owner, time }: { owner: Id<'accounts'>; time: ReadingTime },
): Promise<ParsedWorkflow[]> {
  const read: ParsedWorkflow[] = [];
  for (const file of files) {
    time.check();
    read.push(await readWorkflowFile(file, owner));
  }
  return read;
}

/** Reads the files of a run in a transaction, which restarts if one of them isn't read yet. */
export const requireWorkflowFiles = (files: readonly FoundFile[], owner: Id<'accounts'>): ParsedWorkflow[] =>
  results.require(files.map((file) => ({ ...file, owner })));

/** A file whose filters or schedule are too large can't run, since checking what starts it would take too long. */
function withEventsChecked(read: ParsedWorkflow): ParsedWorkflow {
  const problems = 'file' in read ? triggerProblems(read.file.events).map((message) => ({ message, line: 1 })) : [];
  return problems.length > 0 ? { problems } : read;
}
