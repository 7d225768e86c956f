// The words that differ between two versions of a line.
import { fixedValue } from '#lib/limits.ts';
import { diffLimits } from '../limits.ts';

/** Ranges of characters: the start and the end of each, one after the other. */
type Marks = readonly number[];

const maxLine = fixedValue(diffLimits.markedLine);
const maxWords = fixedValue(diffLimits.markedWords);

/** Words, numbers, runs of blanks, and single other characters. A surrogate pair is one character. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}_]+|\s+|./gsu) ?? [];

const isBlank = (word: string): boolean => word.trim() === '';

/** A part of a line is marked only if there is enough left that isn't. */
const largestPart = 0.8;

/** The changed words of both versions of a line; undefined if the lines are too long, or have too little in common. */
export function markWords(before: string, after: string): { before: Marks; after: Marks } | undefined {
  if (before.length > maxLine || after.length > maxLine) return undefined;
  const [olds, news] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < olds.length && start < news.length && olds[start] === news[start]) start++;
  let end = 0;
  while (end < olds.length - start && end < news.length - start && olds.at(-1 - end) === news.at(-1 - end)) end++;
  const [oldMiddle, newMiddle] = [olds.slice(start, olds.length - end), news.slice(start, news.length - end)];
  const same = commonWords(oldMiddle, newMiddle);
  const offset = olds.slice(0, start).join('').length;
  const marks = { before: marksOf(oldMiddle, same.olds, offset), after: marksOf(newMiddle, same.news, offset) };
  return isMostly(marks.before, before) || isMostly(marks.after, after) ? undefined : marks;
}

const isMostly = (marks: Marks, text: string): boolean => {
  let marked = 0;
  for (let at = 0; at < marks.length; at += 2) marked += (marks[at + 1] ?? 0) - (marks[at] ?? 0);
  return marked > largestPart * text.trim().length;
};

/** The words of a longest common subsequence, by their indexes in both lists. Nothing is common to long lists. */
function commonWords(olds: readonly string[], news: readonly string[]): { olds: Set<number>; news: Set<number> } {
  const found = { olds: new Set<number>(), news: new Set<number>() };
  if (olds.length > maxWords || news.length > maxWords) return found;
  const width = news.length + 1;
  const lengths = new Uint8Array((olds.length + 1) * width);
  const at = (one: number, other: number): number => lengths[one * width + other] ?? 0;
  for (let one = olds.length - 1; one >= 0; one--)
    for (let other = news.length - 1; other >= 0; other--)
      lengths[one * width + other] =
        olds[one] === news[other] ? at(one + 1, other + 1) + 1 : Math.max(at(one + 1, other), at(one, other + 1));
  for (let one = 0, other = 0; one < olds.length && other < news.length; ) {
    if (olds[one] === news[other]) {
      found.olds.add(one++);
      found.news.add(other++);
    } else if (at(one + 1, other) >= at(one, other + 1)) one++;
    else other++;
  }
  return found;
}

/** Neighbouring ranges become one. Common blanks between changed words are marked with them. */
function marksOf(words: readonly string[], same: ReadonlySet<number>, offset: number): number[] {
  const marks: number[] = [];
  let position = offset;
  words.forEach((word, index) => {
    const isBetween = isBlank(word) && index > 0 && !same.has(index - 1) && index + 1 < words.length && !same.has(index + 1);
    if (!same.has(index) || isBetween) {
      if (marks.at(-1) === position) marks[marks.length - 1] = position + word.length;
      else marks.push(position, position + word.length);
    }
    position += word.length;
  });
  return marks;
}
