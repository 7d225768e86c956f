/** A condition on the lexemes of a row: the text of a `tsquery`, or what is always or never so. */
export type LexemeQuery = { kind: 'query'; text: string } | { kind: 'always' } | { kind: 'never' };

export const always: LexemeQuery = { kind: 'always' };
export const never: LexemeQuery = { kind: 'never' };

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** PostgreSQL has no longer lexemes, in bytes: no row can hold one. */
const longest = 2_046;
const tooLong = (text: string): boolean => Buffer.byteLength(text) > longest;

/** The rows that have this lexeme. Lexemes of the analyser hold no quotes; those of names may. */
export const lexeme = (text: string): LexemeQuery => (tooLong(text) ? never : { kind: 'query', text: quoted(text) });

/** The rows that have a lexeme with this beginning. */
export const lexemePrefix = (text: string): LexemeQuery => (tooLong(text) ? never : { kind: 'query', text: `${quoted(text)}:*` });

export function both(parts: readonly LexemeQuery[]): LexemeQuery {
  if (parts.some(({ kind }) => kind === 'never')) return never;
  return joined(parts, ' & ') ?? always;
}

export function either(parts: readonly LexemeQuery[]): LexemeQuery {
  if (parts.some(({ kind }) => kind === 'always')) return always;
  return joined(parts, ' | ') ?? never;
}

export function not(part: LexemeQuery): LexemeQuery {
  if (part.kind === 'query') return { kind: 'query', text: `!(${part.text})` };
  return part.kind === 'always' ? never : always;
}

function joined(parts: readonly LexemeQuery[], operator: string): LexemeQuery | undefined {
  const texts = parts.flatMap((part) => (part.kind === 'query' ? [part.text] : []));
  if (texts.length === 0) return undefined;
  return { kind: 'query', text: texts.length === 1 ? (texts[0] ?? '') : `(${texts.join(operator)})` };
}
