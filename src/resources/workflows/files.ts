// The workflow files of a commit.
import { LRUCache } from 'lru-cache';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Repo } from '#git/repo.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { isWorkflowPath, type ParsedWorkflow, parseWorkflowFile, workflowFolders } from '#workflow-files/parse.ts';

/** A workflow file as it is in a commit. */
export type FoundFile = { readonly path: string; readonly content: string };

const maxFiles = fixedValue(limitTable.workflows.files);
const maxBytes = fixedValue(limitTable.workflows.fileBytes);

/**
 * The workflow files of a commit, in the order of their paths, those of the neutral folder first. Of a file that is too large, the first
 * bytes beyond the limit are enough for the parser to say so.
 */
export async function listWorkflowFiles(disk: Repo, commit: Oid): Promise<FoundFile[]> {
  await using reader = await openObjects(disk);
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

/** A workflow file of a commit at a path; undefined where there is none. */
export async function findWorkflowFile(disk: Repo, commit: Oid, path: string): Promise<FoundFile | undefined> {
  await using reader = await openObjects(disk);
  const found = await reader.find(commit, { path, maxSize: maxBytes });
  return found?.type === 'blob' ? { path, content: found.data.toString('utf8') } : undefined;
}

/** What parsing gave for a path and a content: the file of a run is read again whenever one of its jobs ends. */
const parsed = new LRUCache<string, Promise<ParsedWorkflow>>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: (_value, key) => key.length,
});

export function readWorkflowFile({ path, content }: FoundFile): Promise<ParsedWorkflow> {
  const key = `${path}\n${content}`;
  const known = parsed.get(key);
  if (known) return known;
  const reading = parseWorkflowFile(path, content);
  parsed.set(key, reading);
  return reading;
}
