// Queries that select repositories: the part of the repository search language that needs no word index.
import { type RawBuilder, sql } from 'kysely';
import { invalid, type Refusal } from '#lib/refusal.ts';
import { hasPropertyValue } from './sql.ts';

const refused = (message: string): Refusal => invalid('Repository', 'repository_query', 'invalid', message);

const oneOf = (words: readonly string[], value: string): string => {
  if (!words.includes(value)) throw refused(`${value} is none of ${words.join(', ')}`);
  return value;
};

const visibility = (value: string) => sql<boolean>`r.visibility = ${oneOf(['public', 'private', 'internal'], value)}`;

/** The qualifiers about the repository `r`, by name. Values are in lower case. */
const qualifiers: ReadonlyMap<string, (value: string) => RawBuilder<boolean>> = new Map([
  ['archived', (value) => sql<boolean>`r.archived = ${oneOf(['true', 'false'], value) === 'true'}`],
  ['is', visibility],
  ['language', (value) => sql<boolean>`coalesce(lower(r.language) = ${value}, false)`],
  ['repo', (value) => sql<boolean>`(select lower(o.login || '/' || r.name) = ${value} from accounts o where o.id = r.owner_id)`],
  ['topic', (value) => sql<boolean>`${value} = any(r.topics)`],
  ['visibility', visibility],
]);

const properties = 'props.';

/** A term, after `-` if it is negated: a qualifier with its value, or a word. Quotation marks may contain blanks. */
const term = /\s*(-?)(?:([\w.$#-]+):)?(?:"([^"]+)"|([^\s"():]+))(?=\s|$)/y;

/**
 * The condition of a query on the repository `r`: all of its terms must match. Words are searched in the name.
 * @throws Refusal 422 for unknown qualifiers or invalid values
 */
export function queryCondition(query: string): RawBuilder<boolean> {
  const conditions: RawBuilder<boolean>[] = [];
  const text = query.trim();
  for (let at = 0; at < text.length; at = term.lastIndex) {
    term.lastIndex = at;
    const match = term.exec(text);
    if (!match) throw refused(`The query is not understood from its character ${at + 1} on`);
    const [, negation, name, quoted, plain = ''] = match;
    const condition = conditionOf(name?.toLowerCase(), quoted ?? plain);
    conditions.push(negation ? sql<boolean>`not ${condition}` : condition);
  }
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

function conditionOf(name: string | undefined, written: string): RawBuilder<boolean> {
  const value = written.toLowerCase();
  if (name === undefined) {
    if (['AND', 'OR', 'NOT'].includes(written)) throw refused(`The operator ${written} is not offered here`);
    return sql<boolean>`strpos(lower(r.name), ${value}) > 0`;
  }
  if (name.startsWith(properties)) return hasPropertyValue(name.slice(properties.length), value);
  const qualifier = qualifiers.get(name);
  if (!qualifier) throw refused(`The qualifier ${name} is not offered here`);
  return qualifier(value);
}
