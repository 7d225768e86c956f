/** Whole numbers from `min` to `max`, both included. */
export type NumberRange = { min?: number; max?: number };

const digits = /^\d{1,15}$/;
const comparison = /^(>=|<=|>|<)(\d{1,15})$/;
const between = /^(\d{1,15}|\*)\.\.(\d{1,15}|\*)$/;

/** Parses `10`, `>10`, `>=10`, `<10`, `<=10`, `10..20`, `10..*` and `*..10`. */
export function readNumberRange(text: string): NumberRange | undefined {
  if (digits.test(text)) return { min: Number(text), max: Number(text) };
  const [, sign, limit] = comparison.exec(text) ?? [];
  if (sign && limit) return compared(sign, Number(limit));
  const [, low, high] = between.exec(text) ?? [];
  if (!low || !high) return undefined;
  return { ...(low === '*' ? {} : { min: Number(low) }), ...(high === '*' ? {} : { max: Number(high) }) };
}

function compared(sign: string, limit: number): NumberRange {
  if (sign === '>') return { min: limit + 1 };
  if (sign === '>=') return { min: limit };
  return { max: sign === '<' ? limit - 1 : limit };
}
