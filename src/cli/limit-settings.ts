import type { Limit, LimitTable } from '#lib/limits.ts';
import { StartupError } from '#lib/startup-error.ts';
import type { LimitOverrides } from '#resources/all.ts';

const factors: Record<Limit['unit'], Record<string, number>> = {
  bytes: { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 },
  'bytes a second': { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 },
  milliseconds: { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 },
  count: { '': 1 },
};

/** A given limit, which may not exist. */
type GivenLimit = { readonly group: string; readonly name: string; readonly digits: string; readonly suffix: string };
type GivenLimits = readonly GivenLimit[];

/**
 * Parses limits, for example `git.transfers=32, requests.body=2M, git.commandTime=1m`. `limitOverrides` checks the names, since
 * loading the table loads all families.
 * @throws Error with the invalid part
 */
export const parseLimits = (text: string): GivenLimits =>
  text
    .split(',')
    .map((piece) => piece.trim())
    .map((part) => {
      const [, group = '', name = '', digits = '', suffix = ''] = /^(\w+)\.(\w+)\s*=\s*(\d+)\s*([A-Za-z]*)$/.exec(part) ?? [];
      if (digits === '')
        throw new Error(`must be limits separated by commas, such as git.transfers=32,requests.body=2M; not '${part}'`);
      return { group, name, digits, suffix };
    });

/**
 * The values of the given limits: whole numbers. Bytes accept K, M and G, times accept ms, s, m and h.
 * @throws StartupError with the invalid name or value
 */
export function limitOverrides(given: GivenLimits, table: LimitTable): LimitOverrides {
  const overrides: Record<string, Record<string, number>> = {};
  for (const { group, name, digits, suffix } of given) {
    const limit = limitOf(table, group, name);
    if (!limit) throw invalid(`must name limits of docs/limits.md; there is no '${group}.${name}'`);
    if (limit.fixed) throw invalid(`can't change ${group}.${name}, which is fixed`);
    const factor = factors[limit.unit][suffix];
    if (factor === undefined) {
      const units = Object.keys(factors[limit.unit]).filter((unit) => unit !== '');
      const allowed = units.length > 0 ? `, alone or with ${units.join(', ')}` : '';
      throw invalid(`must give ${group}.${name} as a whole number of ${wordsOf(limit.unit)}${allowed}`);
    }
    const value = Number(digits) * factor;
    if (value < 1 || !Number.isSafeInteger(value)) throw invalid(`must give ${group}.${name} a value of at least 1`);
    overrides[group] = { ...overrides[group], [name]: value };
  }
  return overrides;
}

/** Like `limitOverrides`, but loads the table only if limits were given. */
export async function loadLimitOverrides(given: GivenLimits | undefined): Promise<LimitOverrides> {
  if (given === undefined) return {};
  const { allLimits } = await import('#resources/all.ts');
  return limitOverrides(given, allLimits);
}

const invalid = (problem: string): StartupError => new StartupError(`HEARTH_LIMITS, or --limits, ${problem}`);

const wordsOf = (unit: Limit['unit']): string => (unit === 'count' ? 'things' : unit);

function limitOf(table: LimitTable, group: string, name: string): Limit | undefined {
  const limits = table.get(group)?.limits ?? {};
  return Object.hasOwn(limits, name) ? limits[name] : undefined;
}

/** Formats limits for `parseLimits`. */
export const limitsText = (overrides: LimitOverrides): string =>
  Object.entries(overrides)
    .flatMap(([group, values]) => Object.entries(values).map(([name, value]) => `${group}.${name}=${value}`))
    .join(',');
