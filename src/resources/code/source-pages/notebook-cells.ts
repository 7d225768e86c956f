// Reads notebooks (.ipynb). It runs in a worker thread, since their JSON may be large.
import { fixedValue } from '#lib/limits.ts';
import { sourcePageLimits } from './limits.ts';

export type ReadCell = {
  readonly kind: 'markdown' | 'code' | 'raw';
  readonly source: string;
  readonly outputs: readonly string[];
  /** The number of outputs that aren't text. */
  readonly others: number;
};
export type ReadNotebook = { readonly language: string; readonly cells: readonly ReadCell[]; readonly isCut: boolean };

const maxCells = fixedValue(sourcePageLimits.notebookCells);
const maxText = fixedValue(sourcePageLimits.notebookText);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const field = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text, which notebooks may hold as a list of lines. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return list(value)
    .filter((line) => typeof line === 'string')
    .join('');
}

/** The cells of a notebook; undefined if the text isn't one. */
export function readNotebook(text: string): ReadNotebook | undefined {
  const notebook = parsed(text);
  const cells = field(notebook, 'cells');
  if (!Array.isArray(cells)) return undefined;
  const metadata = field(notebook, 'metadata');
  const language = textOf(field(field(metadata, 'language_info'), 'name') ?? field(field(metadata, 'kernelspec'), 'language'));
  const read: ReadCell[] = [];
  let characters = 0;
  for (const cell of cells) {
    const one = readCell(cell);
    characters += one.source.length + one.outputs.reduce((sum, output) => sum + output.length, 0);
    if (read.length === maxCells || characters > maxText) return { language, cells: read, isCut: true };
    read.push(one);
  }
  return { language, cells: read, isCut: false };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const kinds = { markdown: 'markdown', code: 'code' } as const;

function readCell(cell: unknown): ReadCell {
  const type = textOf(field(cell, 'cell_type'));
  const outputs = list(field(cell, 'outputs')).map(outputText);
  return {
    kind: type === 'markdown' || type === 'code' ? kinds[type] : 'raw',
    source: textOf(field(cell, 'source')),
    outputs: outputs.filter((output) => output !== undefined && output !== '').map(String),
    others: outputs.filter((output) => output === undefined).length,
  };
}

/** The text of an output; undefined if it is something else. */
function outputText(output: unknown): string | undefined {
  const plain = field(output, 'text') ?? field(field(output, 'data'), 'text/plain');
  const trace = field(output, 'traceback');
  if (plain === undefined && trace === undefined) return undefined;
  const isPicture = Object.keys(Object(field(output, 'data'))).some((type) => type.startsWith('image/'));
  if (isPicture) return undefined;
  return withoutColors(plain === undefined ? list(trace).map(textOf).join('\n') : textOf(plain));
}

/** The text without the control sequences of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const withoutColors = (text: string): string => text.replace(/\u001b\[[\d;]*[A-Za-z]/g, '');
