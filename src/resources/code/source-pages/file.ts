import { posix } from 'node:path';
import type { Scope } from '#endpoint/scope.ts';
import { findLastCommit } from '#git/history/last-commits.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import { fixedValue } from '#lib/limits.ts';
import { type Entry, isFile, targetOf } from '#resources/code/contents/index.ts';
import { textLimits } from '#text/limits.ts';
import { languageOfFile, showLines } from './code-lines.ts';
import { presentLastCommits } from './commit-lines.ts';
import { hasEnding, isBinary, pictureType } from './file-kinds.ts';
import { sourcePageLimits } from './limits.ts';
import { getEntry, kindOfEntry, type Location, presentLocation } from './location.ts';
import { showNotebook } from './notebook.ts';
import { isMarkdown, type Rendering, renderFile } from './rendered-file.ts';
import type { LastCommit, ShownFile } from './schemas.ts';
import { readTable, separatorOf } from './separated-values.ts';

const maxFile = fixedValue(sourcePageLimits.file);
const maxTable = fixedValue(sourcePageLimits.table);
const maxNotebook = fixedValue(sourcePageLimits.notebook);
const maxMarkdown = fixedValue(textLimits.page);

type Wanted = {
  /** A line that the page holds. */
  line: number;
  /** Whether the source is wanted of a file that can be shown in another way. */
  isSource: boolean;
};

/** The ways to show a file. One of them is set at most. */
type View = Pick<ShownFile, 'kind' | 'language' | 'has_preview' | 'code' | 'markdown' | 'table' | 'notebook'>;
const noView: View = {
  kind: 'text',
  language: null,
  has_preview: false,
  code: null,
  markdown: null,
  table: null,
  notebook: null,
};

/** The file at a location. Of anything else, what it is. */
export async function showFile(scope: Scope, context: Rendering, location: Location, wanted: Wanted): Promise<ShownFile> {
  await using reader = await openObjects(location.gitRepository);
  const entry = await getEntry(reader, location);
  const type = kindOfEntry(entry);
  const shown = {
    ...presentLocation(location),
    type,
    name: posix.basename(entry.path),
    size: entry.size,
    is_executable: entry.mode === '100755',
    target: type === 'symlink' ? await targetOf(reader, entry) : null,
  };
  if (!isFile(entry))
    return { ...shown, ...noView, last_commit: type === 'symlink' ? await lastCommitOf(scope, location) : null };
  const [last_commit, view] = await Promise.all([
    lastCommitOf(scope, location),
    viewOf(context, reader, { entry, ref: location.name, ...wanted }),
  ]);
  return { ...shown, ...view, last_commit };
}

/** The last commit of a file; null if it isn't found in time. */
async function lastCommitOf(scope: Scope, { gitRepository, commit, path }: Location): Promise<LastCommit | null> {
  const oid = await findLastCommit(gitRepository, { commit, path });
  if (oid === undefined) return null;
  await using reader = await openObjects(gitRepository);
  return (await presentLastCommits(scope, [await reader.getCommit(oid)])).get(oid) ?? null;
}

async function viewOf(
  context: Rendering,
  reader: ObjectReader,
  { entry: { path, oid, size }, ref, line, isSource }: Wanted & { entry: Entry; ref: string },
): Promise<View> {
  const isPicture = pictureType(path) !== undefined;
  const isText = isPicture && hasEnding(path, 'svg');
  if (isPicture && !(isText && isSource)) return { ...noView, kind: 'image', has_preview: isText };
  if (hasEnding(path, 'pdf')) return { ...noView, kind: 'pdf' };
  if (size > maxFile) return { ...noView, kind: 'large' };
  const { data } = await reader.get(oid, { type: 'blob', maxSize: maxFile });
  if (isBinary(data)) return { ...noView, kind: 'binary' };
  const text = data.toString('utf8');
  const base = { ...noView, language: languageOfFile(path, text) ?? null, has_preview: isText };
  const preview = await previewOf(context, { text, path, size, ref, isSource });
  if (preview) return { ...base, ...preview, has_preview: true };
  const code = await showLines({ text, path, line }, context.caller);
  return { ...base, code, has_preview: base.has_preview || (isSource && isPreviewed(path, size)) };
}

const isTable = (path: string): boolean => hasEnding(path, 'csv', 'tsv');
const isNotebook = (path: string): boolean => hasEnding(path, 'ipynb');

/** Whether a file of this name and size is shown in another way than as its source. */
const isPreviewed = (path: string, size: number): boolean =>
  (isMarkdown(path) && size <= maxMarkdown) || (isTable(path) && size <= maxTable) || (isNotebook(path) && size <= maxNotebook);

type Previewed = { text: string; path: string; size: number; ref: string; isSource: boolean };

async function previewOf(context: Rendering, { text, path, size, ref, isSource }: Previewed): Promise<Partial<View> | undefined> {
  if (isSource || !isPreviewed(path, size)) return undefined;
  if (isMarkdown(path)) return { markdown: await renderFile(context, { text, path, ref }) };
  if (isNotebook(path)) {
    const notebook = await showNotebook(context, { text, path, ref });
    return notebook && { notebook };
  }
  const table = readTable(text, separatorOf(path, text));
  return table && table.rows.length > 0 ? { table } : undefined;
}
