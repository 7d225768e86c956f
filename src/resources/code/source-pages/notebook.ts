import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { preparedResults } from '#lib/preparation.ts';
import { Refusal } from '#lib/refusal.ts';
import { periodicYield } from '#lib/turns.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { grammarOf } from '#text/code-languages.ts';
import { digestOf } from '#text/digest.ts';
import { highlightLines } from '#text/highlight.ts';
import { sourcePageLimits } from './limits.ts';
import type { ReadCell, ReadNotebook } from './notebook-cells.ts';
import { type Rendering, renderFile } from './rendered-file.ts';
import type { Notebook } from './schemas.ts';

const thread = threadFunctions<typeof import('./notebook-cells.ts')>(
  new URL('./notebook-cells.ts', import.meta.url),
  fixedValue(sourcePageLimits.notebookTime),
);

const notebooks = preparedResults<{ text: string; caller: Caller }, { readonly notebook: ReadNotebook | undefined }>({
  compute: async ({ text, caller }) => ({ notebook: await unlessEnded(() => thread.call('readNotebook', text, { caller })) }),
  keyOf: ({ text }) => digestOf(text),
  sizeOf: ({ notebook }, key) =>
    (notebook?.cells ?? []).reduce((sum, cell) => sum + bytesOfCell + 2 * charactersOf(cell), key.length + 1),
  maxBytes: fixedValue(sourcePageLimits.notebookKept),
});

const bytesOfCell = 200;
const charactersOf = ({ source, outputs }: ReadCell): number => outputs.reduce((sum, { length }) => sum + length, source.length);

/** Returns undefined if the thread took too long, since it would again. */
async function unlessEnded<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ThreadEnded) return undefined;
    throw error;
  }
}

/** A notebook as cells; undefined if the text isn't one, or can't be read in time. */
export async function showNotebook(
  context: Rendering,
  { text, path, ref }: { text: string; path: string; ref: string },
): Promise<Notebook | undefined> {
  const { caller } = context;
  const notebook = await read(text, caller);
  if (!notebook) return undefined;
  const cells: Notebook['cells'] = [];
  const yieldTurn = periodicYield();
  for (const { kind, source, outputs, others } of notebook.cells) {
    const html = kind === 'markdown' ? await renderFile(context, { text: source, path, ref }) : null;
    const grammar = kind === 'code' ? grammarOf(notebook.language || 'python') : undefined;
    const lines = kind === 'markdown' ? [] : [...(await highlightLines({ text: source, grammar }, caller))];
    await yieldTurn();
    cells.push({ kind, html, lines, outputs: [...outputs], others });
  }
  return { cells, is_cut: notebook.isCut };
}

/** Returns undefined if too many texts of the caller wait for a thread. */
async function read(text: string, caller: Caller): Promise<ReadNotebook | undefined> {
  try {
    return (await notebooks.get({ text, caller })).notebook;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
