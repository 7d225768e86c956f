// Reads parts of a configuration file. Each function reports what is wrong, with the part's name and line, and returns undefined.

export type PartPath = readonly (string | number)[];
type Report = (path: PartPath, message: string) => void;

/** A value of the file, with the path to it. */
export type Part = { readonly value: unknown; readonly path: PartPath; readonly report: Report };

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function wrong(part: Part, message: string): undefined {
  part.report(part.path, message);
  return undefined;
}

/** The fields of a mapping. Fields with other names than `known` are wrong; without `known`, any name is a field. */
export function fieldsOf(part: Part, known?: readonly string[]): ReadonlyMap<string, Part> {
  const { value, path, report } = part;
  if (!isMapping(value)) {
    wrong(part, 'has to be a mapping');
    return new Map();
  }
  const fields = Object.entries(value).map(([name, field]) => [name, { value: field, path: [...path, name], report }] as const);
  for (const [name, field] of fields) if (known && !known.includes(name)) wrong(field, 'is not known here');
  // A field without a value is as none.
  return new Map(fields.filter(([, field]) => field.value !== null));
}

export function itemsOf(part: Part | undefined, most: number): Part[] {
  if (!part) return [];
  const { value, path, report } = part;
  if (!Array.isArray(value)) {
    wrong(part, 'has to be a list');
    return [];
  }
  if (value.length > most) {
    wrong(part, `has more than ${most} items`);
    return [];
  }
  return value.map((item, at) => ({ value: item, path: [...path, at], report }));
}

type TextRules = { readonly most: number; readonly pattern?: RegExp; readonly form?: string };

/** A text in one line. */
export function textOf(part: Part | undefined, { most, pattern, form = 'has a wrong form' }: TextRules): string | undefined {
  if (!part) return undefined;
  const { value } = part;
  if (typeof value !== 'string' || value === '') return wrong(part, 'has to be a text');
  if (value.length > most) return wrong(part, `has more than ${most} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name must not have
  if (/[\0-\x1f\x7f]/.test(value) || !value.isWellFormed()) return wrong(part, 'has characters that aren’t allowed');
  return pattern && !pattern.test(value) ? wrong(part, form) : value;
}

/** A list of texts, or one text. */
export function textsOf(part: Part | undefined, most: number, rules: TextRules): string[] {
  const parts = part && !Array.isArray(part.value) ? [part] : itemsOf(part, most);
  return parts.map((item) => textOf(item, rules)).filter((text) => text !== undefined);
}

export function oneOf<const Words extends readonly string[]>(part: Part | undefined, words: Words): Words[number] | undefined {
  if (!part) return undefined;
  return words.find((word) => word === part.value) ?? wrong(part, `has to be one of ${words.join(', ')}`);
}

export function numberOf(part: Part | undefined, [least, most]: readonly [number, number]): number | undefined {
  if (!part) return undefined;
  const { value } = part;
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  return fits ? value : wrong(part, `has to be a whole number from ${least} to ${most}`);
}

export function booleanOf(part: Part | undefined): boolean | undefined {
  if (!part) return undefined;
  return typeof part.value === 'boolean' ? part.value : wrong(part, 'has to be true or false');
}
