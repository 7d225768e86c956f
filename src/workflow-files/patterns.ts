// Patterns of branches, tags and paths in the filters of workflow files.
import { fixedValue, limitTable } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { compilePattern, matchesPattern, type NamePattern, type Steps } from './pattern.ts';

/** The compiled patterns of one filter, the last one first. */
export type Filter = readonly { readonly isNegated: boolean; readonly pattern: NamePattern }[];

export const compileFilter = (patterns: readonly string[]): Filter =>
  patterns
    .flatMap((text) => {
      const isNegated = text.startsWith('!');
      const pattern = compilePattern(isNegated ? text.slice(1) : text);
      return pattern ? [{ isNegated, pattern }] : [];
    })
    .reverse();

const maxSteps = fixedValue(limitTable.interpreters.filterSteps);

/** What the filters of one file may still take for one event. */
export type FilterWork = { readonly steps: Steps; readonly yieldTurn: ReturnType<typeof periodicYield> };

export const beginFilterWork = (): FilterWork => ({ steps: { left: maxSteps }, yieldTurn: periodicYield() });

/**
 * Whether a name passes the patterns of a filter, of which the last that matches decides: one with `!` takes away (the public API's
 * rule). Undefined where no steps are left to tell.
 */
export async function passes(filter: Filter, name: string, { steps, yieldTurn }: FilterWork): Promise<boolean | undefined> {
  for (const { isNegated, pattern } of filter) {
    const isMatch = matchesPattern(pattern, name, steps);
    if (isMatch === undefined) return undefined;
    if (isMatch) return !isNegated;
    await yieldTurn();
  }
  return false;
}

const maxPatterns = fixedValue(limitTable.interpreters.filterPatterns);
const maxBytes = fixedValue(limitTable.interpreters.filterBytes);

/** Why a list can't be a filter; undefined where it can. */
export function filterProblem(patterns: readonly string[]): string | undefined {
  if (patterns.length > maxPatterns) return `has more than ${maxPatterns} patterns`;
  let bytes = 0;
  for (const pattern of patterns) bytes += Buffer.byteLength(pattern);
  return bytes > maxBytes ? `has patterns of more than ${maxBytes / 1024} KiB` : undefined;
}
