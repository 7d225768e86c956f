import { type Limit, type LimitOverrides, limitTable } from '#lib/limits.ts';

const factors: Record<Limit['unit'], Record<string, number>> = {
  bytes: { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 },
  'bytes a second': { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 },
  milliseconds: { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 },
  count: { '': 1 },
};

/**
 * Parses limits such as `git.transfers=32, requests.body=2M, git.commandTime=1m`: names of the table in `lib/limits.ts` with
 * whole numbers. Bytes take K, M and G; times take ms, s, m and h.
 * @throws Error with the invalid name or value
 */
export function parseLimits(text: string): LimitOverrides {
  const overrides: Record<string, Record<string, number>> = {};
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [, group = '', name = '', digits = '', suffix = ''] = /^(\w+)\.(\w+)\s*=\s*(\d+)\s*([A-Za-z]*)$/.exec(part) ?? [];
    if (digits === '')
      throw new Error(`must be limits with commas between, as git.transfers=32,requests.body=2M; '${part}' is none`);
    const limit = limitOf(group, name);
    if (!limit) throw new Error(`must name limits of docs/limits.md; there is no '${group}.${name}'`);
    if (limit.fixed) throw new Error(`can't change ${group}.${name}, which is fixed`);
    const factor = factors[limit.unit][suffix];
    if (factor === undefined) {
      const units = Object.keys(factors[limit.unit]).filter((unit) => unit !== '');
      const allowed = units.length > 0 ? `, alone or with ${units.join(', ')}` : '';
      throw new Error(`must give ${group}.${name} as a whole number of ${wordsOf(limit.unit)}${allowed}`);
    }
    const value = Number(digits) * factor;
    if (value < 1 || !Number.isSafeInteger(value)) throw new Error(`must give ${group}.${name} a value of at least 1`);
    overrides[group] = { ...overrides[group], [name]: value };
  }
  return overrides;
}

const wordsOf = (unit: Limit['unit']): string => (unit === 'count' ? 'things' : unit);

function limitOf(group: string, name: string): Limit | undefined {
  const limits: Record<string, Record<string, Limit>> = limitTable;
  const groupLimits = Object.hasOwn(limits, group) ? limits[group] : undefined;
  return groupLimits && Object.hasOwn(groupLimits, name) ? groupLimits[name] : undefined;
}

/** Formats limits so that `parseLimits` can read them. */
export const limitsText = (overrides: LimitOverrides): string =>
  Object.entries(overrides)
    .flatMap(([group, values]) => Object.entries(values).map(([name, value]) => `${group}.${name}=${value}`))
    .join(',');
