/** A condition on the lexemes of a row: a `tsquery`, or a constant. */
export type LexemeQuery = { kind: 'query'; text: string } | { kind: 'always' } | { kind: 'never' };

export const always: LexemeQuery = { kind: 'always' };
export const never: LexemeQuery = { kind: 'never' };

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** PostgreSQL's limit on lexemes. No row can have a longer one. */
const maxBytes = 2_046;
const tooLong = (text: string): boolean => Buffer.byteLength(text) > maxBytes;

/** Rows with this lexeme. Quotes are escaped, since lexemes of names may contain them. */
export const lexeme = (text: string): LexemeQuery => (tooLong(text) ? never : { kind: 'query', text: quoted(text) });

/** Rows with a lexeme that begins with this text. */
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
