import { type DateRange, readDateRange } from './dates.ts';
import { type NumberRange, readNumberRange } from './numbers.ts';

/** The type of a qualifier's value. `fields`: also the name of an issue field. `any`: also `*`. */
export type ValueType =
  | { type: 'text' }
  | { type: 'words' }
  | { type: 'number' }
  | { type: 'date' }
  | { type: 'flag' }
  | { type: 'choice'; of: readonly string[]; fields?: true }
  | { type: 'set'; of: readonly string[] }
  | { type: 'login'; any?: true }
  | { type: 'repository' }
  | { type: 'team' }
  | { type: 'issue' }
  | { type: 'hash' }
  | { type: 'sort'; of: readonly string[] };

/** A parsed value. The `login` `@me` is the viewer. */
export type Value =
  | { type: 'text'; text: string }
  | { type: 'words'; words: string[] }
  | ({ type: 'number' } & NumberRange)
  | ({ type: 'date' } & DateRange)
  | { type: 'flag'; on: boolean }
  | { type: 'choice'; choice: string }
  | { type: 'set'; words: string[] }
  | { type: 'login'; login: string }
  | { type: 'repository'; owner: string; name: string }
  | { type: 'team'; organization: string; slug: string }
  | { type: 'issue'; owner: string; name: string; number: number }
  | { type: 'hash'; prefix: string }
  | { type: 'sort'; by: string; order: 'asc' | 'desc' };

/** Types whose values are lists: `label:bug,question`. */
export const takesList = (type: ValueType): boolean => type.type === 'words' || type.type === 'set';

/** A description of valid values for error messages. */
export function describe(type: ValueType): string {
  switch (type.type) {
    case 'text':
      return 'a text';
    case 'words':
      return 'one or more texts, separated by commas';
    case 'number':
      return 'a number or a range such as 10, >10, <=10, 10..20 or 10..*';
    case 'date':
      return 'an existing date or a range of dates such as 2024-02-29, >=2024-02-29T08:00:00+01:00 or 2024-01-01..2024-02-01';
    case 'flag':
      return 'true or false';
    case 'choice':
      return `one of ${[...type.of, ...(type.fields ? ['field.<name>'] : [])].join(', ')}`;
    case 'set':
      return `one or more of ${type.of.join(', ')}, separated by commas`;
    case 'login':
      return type.any ? 'the name of an account, or *' : 'the name of an account';
    case 'repository':
      return 'an owner and a name such as octo/hello';
    case 'team':
      return 'an organization and a team such as octo/writers';
    case 'issue':
      return 'a repository and the number of an issue such as octo/hello#1';
    case 'hash':
      return '4 to 64 hexadecimal digits';
    case 'sort':
      return `one of ${type.of.join(', ')}, with -asc or -desc behind it`;
  }
}

/** The name of an issue field in queries. */
export const issueField = /^field\.[a-z0-9][a-z0-9._-]*$/;

const login = /^@?[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,98}[\p{L}\p{N}_-])?(?:\[bot\])?$/u;
const app = /^app\/([a-z0-9][a-z0-9-]{0,98})$/i;
const pair = /^([\p{L}\p{N}._-]{1,100})\/([\p{L}\p{N}._-]{1,100})$/u;
const issue = /^([\p{L}\p{N}._-]{1,100})\/([\p{L}\p{N}._-]{1,100})#(\d{1,9})$/u;
const hash = /^[0-9a-f]{4,64}$/i;

/** Parses a value; undefined if it isn't valid for its type. */
export function readValue(type: ValueType, raw: readonly string[]): Value | undefined {
  const text = raw[0] ?? '';
  switch (type.type) {
    case 'text':
      return text.trim() === '' ? undefined : { type: 'text', text };
    case 'words':
      return raw.every((word) => word.trim() !== '') ? { type: 'words', words: [...raw] } : undefined;
    case 'number': {
      const range = readNumberRange(text);
      return range && { type: 'number', ...range };
    }
    case 'date': {
      const range = readDateRange(text);
      return range && { type: 'date', ...range };
    }
    case 'flag': {
      const word = text.toLowerCase();
      return word === 'true' || word === 'false' ? { type: 'flag', on: word === 'true' } : undefined;
    }
    case 'choice': {
      const choice = text.toLowerCase();
      return type.of.includes(choice) || (type.fields && issueField.test(choice)) ? { type: 'choice', choice } : undefined;
    }
    case 'set': {
      const words = raw.map((word) => word.toLowerCase());
      return words.every((word) => type.of.includes(word)) ? { type: 'set', words } : undefined;
    }
    case 'login':
      return type.any && text === '*' ? { type: 'login', login: text } : readLogin(text);
    case 'repository': {
      const [, owner, name] = pair.exec(text) ?? [];
      return owner && name ? { type: 'repository', owner, name } : undefined;
    }
    case 'team': {
      const [, organization, slug] = pair.exec(text.replace(/^@/, '')) ?? [];
      return organization && slug ? { type: 'team', organization, slug } : undefined;
    }
    case 'issue': {
      const [, owner, name, number] = issue.exec(text) ?? [];
      return owner && name ? { type: 'issue', owner, name, number: Number(number) } : undefined;
    }
    case 'hash':
      return hash.test(text) ? { type: 'hash', prefix: text.toLowerCase() } : undefined;
    case 'sort':
      return readSort(text.toLowerCase(), type.of);
  }
}

/** The names of the default order. */
const bestMatch = ['relevance', 'best-match'];

function readSort(text: string, of: readonly string[]): Value | undefined {
  const by = text.replace(/-(?:asc|desc)$/, '');
  if (!of.includes(by) && !bestMatch.includes(by)) return undefined;
  return { type: 'sort', by, order: text.endsWith('-asc') ? 'asc' : 'desc' };
}

function readLogin(text: string): Value | undefined {
  const slug = app.exec(text)?.[1];
  if (slug) return { type: 'login', login: `${slug}[bot]` };
  if (!login.test(text)) return undefined;
  return { type: 'login', login: text.toLowerCase() === '@me' ? '@me' : text.replace(/^@/, '') };
}
