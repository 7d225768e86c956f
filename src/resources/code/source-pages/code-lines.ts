import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { languageOf } from '#search/index.ts';
import { grammarOf } from '#text/code-languages.ts';
import { highlightLines } from '#text/highlight.ts';
import { sourcePageLimits } from './limits.ts';
import type { CodeLines } from './schemas.ts';

const maxLines = fixedValue(sourcePageLimits.lines);
const maxCharacters = fixedValue(sourcePageLimits.characters);
const maxLength = fixedValue(sourcePageLimits.lineLength);

/** The language of a file, by its name and its first line. */
export function languageOfFile(path: string, text: string): string | undefined {
  const end = text.indexOf('\n');
  return languageOf(path, text.slice(0, Math.min(end < 0 ? text.length : end, 200)));
}

type Wanted = {
  text: string;
  path: string;
  /** A line of the part. */
  line: number;
  /** The number of lines of a part. Omitted: as many as a page of a file has. */
  length?: number;
};

/** The part of a source text that holds a line, highlighted. Parts begin at fixed lines, so that they can be remembered. */
export async function showLines({ text, path, line, length = maxLines }: Wanted, caller: Caller): Promise<CodeLines> {
  const { from, lines, total } = await partOf(text, { line, length });
  const cut = lines.map((one) => (one.length > maxLength ? `${one.slice(0, maxLength)}…` : one));
  const grammar = grammarOf(languageOfFile(path, text));
  return {
    from,
    lines: lines.length === 0 ? [] : [...(await highlightLines({ text: cut.join('\n'), grammar }, caller))],
    total,
    previous: from > 1 ? Math.max(1, from - length) : null,
    next: from + lines.length <= total ? from + lines.length : null,
    is_cut: lines.some((one) => one.length > maxLength),
  };
}

type Part = { from: number; lines: string[]; total: number };

/** The lines of the part with a line. A part ends early where its characters exceed the limit. */
async function partOf(text: string, { line, length }: { line: number; length: number }): Promise<Part> {
  const { total, first, starts } = await findLines(text, { line, length });
  const wanted = Math.min(line, total) - 1 - first;
  // A part with long lines has several pages.
  let from = 0;
  let to = 0;
  let characters = 0;
  for (let at = 0; at < starts.length - 1; at++) {
    const size = Math.min(maxLength, (starts[at + 1] ?? 0) - (starts[at] ?? 0));
    if (characters + size > maxCharacters && at > from) {
      if (at > wanted) break;
      [from, characters] = [at, 0];
    }
    characters += size;
    to = at + 1;
  }
  const lines: string[] = [];
  for (let at = from; at < to; at++) lines.push(withoutEnd(text.slice(starts[at], starts[at + 1])));
  return { from: first + from + 1, lines, total };
}

const linesPerStep = 4_096;

/**
 * The number of lines of a text, and where those of the part with a line begin, with the end of the last one. A newline at the
 * end begins no line. Beyond the end, it is the last part.
 */
async function findLines(
  text: string,
  { line, length }: { line: number; length: number },
): Promise<{ total: number; first: number; starts: number[] }> {
  const yieldTurn = periodicYield();
  const wanted = Math.floor((line - 1) / length) * length;
  let [total, first, starts]: [number, number, number[]] = [0, 0, []];
  for (let at = 0; at < text.length; total++) {
    if (total % length === 0 && total <= wanted) [first, starts] = [total, []];
    if (total <= first + length) starts.push(at);
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
    if (total % linesPerStep === 0) await yieldTurn();
  }
  if (total <= first + length) starts.push(text.length);
  return { total, first, starts };
}

const withoutEnd = (line: string): string => line.replace(/\r?\n$/, '');
