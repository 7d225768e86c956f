// Files of code owners: on each line a pattern of paths and who owns these.

import { fixedValue } from '#lib/limits.ts';
import { matchesPath, type Path, type Pattern } from '#lib/path-pattern.ts';
import type { Steps } from '#lib/pattern-steps.ts';
import { periodicYield } from '#lib/turns.ts';
import { codeOwnerLimits, codeOwnerStepLimits } from './limits.ts';
import { patternOf, patternProblem } from './pattern.ts';

/** An owner as it is written: `@login`, `@organization/team` or an e-mail address, with its place in the file. */
type Owner = { readonly text: string; readonly line: number; readonly column: number };

/** Paths and their owners; none where nobody owns them. */
export type Rule = { readonly pattern: Pattern; readonly owners: readonly Owner[]; readonly source: string };

/** What is wrong with a line. `line` and `column` begin at 1. */
export type Problem = {
  readonly line: number;
  readonly column: number;
  readonly kind: 'Invalid pattern' | 'Invalid owner' | 'Unknown owner';
  readonly source: string;
  readonly suggestion: string | null;
};

export type CodeOwners = { readonly rules: readonly Rule[]; readonly problems: readonly Problem[] };

const ownerForms = /^(@[A-Za-z0-9][A-Za-z0-9_.-]*(\[bot\])?(\/[A-Za-z0-9_.-]+)?|[^\s@]+@[^\s@]+\.[^\s@]+)$/;

/**
 * Longer owners are none: an e-mail address has 254 characters at most (RFC 5321). The expression takes a time that is quadratic
 * in the length.
 */
const maxOwner = 320;
/** No path that Git could check out is longer. */
const maxPattern = 4_096;

const isOwner = (text: string): boolean => text.length <= maxOwner && ownerForms.test(text);

/**
 * The words of a line before a comment, each with its column. A blank behind a backslash belongs to the word. It reads one word
 * more than `most`.
 */
function wordsOf(line: string, most: number): { text: string; column: number }[] {
  const words: { text: string; column: number }[] = [];
  for (let at = startOfWord(line, 0); at < line.length && words.length <= most; ) {
    const end = endOfWord(line, at);
    const text = line.slice(at, end);
    if (text.startsWith('#')) break;
    words.push({ text, column: at + 1 });
    at = startOfWord(line, end);
  }
  return words;
}

function startOfWord(line: string, from: number): number {
  const text = /\S/g;
  text.lastIndex = from;
  return text.exec(line)?.index ?? line.length;
}

/** A loop and not one expression, which would overflow the stack for a long word. */
function endOfWord(line: string, from: number): number {
  const blankOrEscape = /\s|\\.?/gsu;
  blankOrEscape.lastIndex = from;
  for (;;) {
    const found = blankOrEscape.exec(line);
    if (!found) return line.length;
    if (!found[0].startsWith('\\')) return found.index;
  }
}

const maxWords = fixedValue(codeOwnerLimits.codeOwnersWords);

/**
 * Reads a file of code owners. Lines that can't be read are left out, each with what is wrong with it; undefined where there are
 * too many patterns and owners. It yields, since the file may be large.
 */
export async function parseCodeOwners(text: string): Promise<CodeOwners | undefined> {
  const yieldNow = periodicYield();
  let words = 0;
  const rules: Rule[] = [];
  const problems: Problem[] = [];
  for (const [at, raw] of text.split('\n').entries()) {
    const source = raw.replace(/\r$/, '');
    const [pattern, ...owners] = wordsOf(source, maxWords - words);
    await yieldNow();
    if (!pattern) continue;
    words += 1 + owners.length;
    if (words > maxWords) return undefined;
    const line = at + 1;
    const wrong = pattern.text.length > maxPattern ? { suggestion: null } : patternProblem(pattern.text);
    const wrongOwner = owners.find(({ text }) => !isOwner(text));
    if (wrong) problems.push({ line, column: pattern.column, kind: 'Invalid pattern', source, ...wrong });
    else if (wrongOwner) problems.push({ line, column: wrongOwner.column, kind: 'Invalid owner', source, suggestion: null });
    else rules.push({ pattern: patternOf(pattern.text), owners: owners.map((owner) => ({ ...owner, line })), source });
  }
  return { rules, problems };
}

/** What finding the owners of some paths may still take. */
type OwnersWork = { readonly steps: Steps; readonly yieldNow: ReturnType<typeof periodicYield> };

const maxSteps = fixedValue(codeOwnerStepLimits.codeOwnersSteps);

export const beginOwnersWork = (): OwnersWork => ({
  steps: { left: maxSteps, limit: 'interpreters.codeOwnersSteps' },
  yieldNow: periodicYield(),
});

/**
 * The rule for a path: the last one that matches it. It yields between rules.
 * @throws Refusal 422 where no steps are left
 */
export async function ruleFor(rules: readonly Rule[], path: Path, { steps, yieldNow }: OwnersWork): Promise<Rule | undefined> {
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at];
    if (rule && matchesPath(rule.pattern, path, steps)) return rule;
    const pause = yieldNow();
    if (pause) await pause;
  }
  return undefined;
}
