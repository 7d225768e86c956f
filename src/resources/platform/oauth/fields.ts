import type { FastifyRequest } from 'fastify';
import { badRequest } from '#lib/refusal.ts';

export type Fields = Readonly<Record<string, string | undefined>>;

/**
 * The fields of a request: of its form or JSON body, and of its query.
 * @throws Refusal for a field with a NUL character, or one that is sent more than once: RFC 6749 forbids that, since proxies and
 * servers may use different values.
 */
export function fieldsOf(request: FastifyRequest): Fields {
  const text = typeof request.body === 'string' ? request.body : '';
  const isJson = (request.headers['content-type'] ?? '').includes('json');
  const query = Object.entries(request.query as Record<string, string | string[]>); // the query parser's own object
  return checkNoNul({ ...singleValues(query), ...(isJson ? jsonFields(text) : singleValues([...new URLSearchParams(text)])) });
}

/** Refuses fields with NUL characters, which PostgreSQL can't store or compare. */
export function checkNoNul(fields: Fields): Fields {
  const wrong = Object.keys(fields).find((name) => fields[name]?.includes('\0'));
  if (wrong !== undefined) throw badRequest(`The parameter ${wrong.slice(0, 40)} must not hold a NUL character`);
  return fields;
}

function singleValues(entries: readonly (readonly [string, string | string[]])[]): Fields {
  const fields = new Map<string, string>();
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || fields.has(name))
      throw badRequest(`The parameter ${name.slice(0, 40)} was sent more than once`);
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function jsonFields(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}
