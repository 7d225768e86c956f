// Patterns of branches, tags and paths in the filters of workflow files.

import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { workflowTextLimits } from './limits.ts';
import { compilePattern, matchesPattern, type NamePattern, type Steps } from './pattern.ts';

/** The patterns of one filter. */
type Filter = {
  readonly patterns: readonly string[];
  /** The compiled patterns. Each is compiled when needed, since the last matching one decides. */
  readonly compiled: Map<number, Compiled>;
};

type Compiled = { readonly isNegated: boolean; readonly pattern: NamePattern | undefined };

export const openFilter = (patterns: readonly string[]): Filter => ({ patterns, compiled: new Map() });

function compiledAt({ patterns, compiled }: Filter, at: number): Compiled {
  const known = compiled.get(at);
  if (known) return known;
  const text = patterns[at] ?? '';
  const isNegated = text.startsWith('!');
  const made = { isNegated, pattern: compilePattern(isNegated ? text.slice(1) : text) };
  compiled.set(at, made);
  return made;
}

const maxSteps = fixedValue(workflowTextLimits.filterSteps);

/** The remaining work for the filters of one file for one event. */
export type FilterWork = { readonly steps: Steps; readonly yieldTurn: ReturnType<typeof periodicYield> };

export const beginFilterWork = (): FilterWork => ({ steps: { left: maxSteps }, yieldTurn: periodicYield() });

/**
 * Whether a name passes the patterns of a filter. The last matching one decides, and a pattern with `!` excludes (the public
 * API's rule). Undefined if there aren't enough steps.
 */
export async function passes(filter: Filter, name: string, { steps, yieldTurn }: FilterWork): Promise<boolean | undefined> {
  for (let at = filter.patterns.length - 1; at >= 0; at--) {
    const { isNegated, pattern } = compiledAt(filter, at);
    const isMatch = pattern !== undefined && matchesPattern(pattern, name, steps);
    if (isMatch === undefined) return undefined;
    if (isMatch) return !isNegated;
    const pause = yieldTurn();
    if (pause) await pause;
  }
  return false;
}

const maxLength = fixedValue(workflowTextLimits.filterPatternLength);
const maxPatterns = fixedValue(workflowTextLimits.filterPatterns);
const maxBytes = fixedValue(workflowTextLimits.filterBytes);

/** Why a list isn't a valid filter; undefined if it is. */
export function filterProblem(patterns: readonly string[]): string | undefined {
  if (patterns.length > maxPatterns) return `has more than ${maxPatterns} patterns`;
  let bytes = 0;
  for (const pattern of patterns) bytes += Buffer.byteLength(pattern);
  if (bytes > maxBytes) return `has patterns of more than ${maxBytes / 1024} KiB`;
  const isLong = patterns.some(({ length }) => length > maxLength);
  return isLong ? `has a pattern of more than ${maxLength} characters` : undefined;
}
