import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
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

type Wanted = { text: string; path: string; line: number };

/** The part of a source text that holds a line, highlighted. Parts begin at fixed lines, so that they can be remembered. */
export async function showLines({ text, path, line }: Wanted, caller: Caller): Promise<CodeLines> {
  const { from, lines, total } = partOf(text, line);
  const cut = lines.map((one) => (one.length > maxLength ? `${one.slice(0, maxLength)}…` : one));
  const grammar = grammarOf(languageOfFile(path, text));
  return {
    from,
    lines: [...(await highlightLines({ text: cut.join('\n'), grammar }, caller))],
    total,
    previous: from > 1 ? Math.max(1, from - maxLines) : null,
    next: from + lines.length <= total ? from + lines.length : null,
    is_cut: lines.some((one) => one.length > maxLength),
  };
}

/** The lines of the part with a line. A part ends early where its characters exceed the limit. */
function partOf(text: string, line: number): { from: number; lines: string[]; total: number } {
  const starts = lineStarts(text);
  const total = starts.length;
  const wanted = Math.min(Math.max(1, Math.trunc(line)), Math.max(1, total));
  const first = Math.floor((wanted - 1) / maxLines) * maxLines;
  const lastOfPart = Math.min(total, first + maxLines);
  // A part with long lines has several pages.
  let from = first;
  let to = first;
  let characters = 0;
  for (let at = first; at < lastOfPart; at++) {
    const length = Math.min(maxLength, (starts[at + 1] ?? text.length) - (starts[at] ?? 0));
    if (characters + length > maxCharacters && at > from) {
      if (at >= wanted) break;
      [from, characters] = [at, 0];
    }
    characters += length;
    to = at + 1;
  }
  const lines: string[] = [];
  for (let at = from; at < to; at++) lines.push(withoutEnd(text.slice(starts[at], starts[at + 1])));
  return { from: from + 1, lines, total };
}

/** Where lines begin. A newline at the end begins no line. */
function lineStarts(text: string): number[] {
  const starts = text === '' ? [] : [0];
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

const withoutEnd = (line: string): string => line.replace(/\r?\n$/, '');
