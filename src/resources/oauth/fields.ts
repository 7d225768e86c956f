import type { FastifyRequest } from 'fastify';
import { badRequest } from '#lib/refusal.ts';

export type Fields = Readonly<Record<string, string | undefined>>;

/**
 * The fields of a request: of its form or JSON body, and of its query.
 * @throws Refusal for one with a NUL character, or that is sent more than once, which RFC 6749 forbids: proxies and servers may take different ones.
 */
export function fieldsOf(request: FastifyRequest): Fields {
  const text = typeof request.body === 'string' ? request.body : '';
  const isJson = (request.headers['content-type'] ?? '').includes('json');
  const query = Object.entries(request.query as Record<string, string | string[]>); // the query parser's own object
  return readable({ ...once(query), ...(isJson ? textsIn(text) : once([...new URLSearchParams(text)])) });
}

/** PostgreSQL has no text with a NUL, so nothing stored can be meant. */
export function readable(fields: Fields): Fields {
  const wrong = Object.keys(fields).find((name) => fields[name]?.includes('\0'));
  if (wrong !== undefined) throw badRequest(`The parameter ${wrong.slice(0, 40)} must not hold a NUL character`);
  return fields;
}

function once(entries: readonly (readonly [string, string | string[]])[]): Fields {
  const fields = new Map<string, string>();
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || fields.has(name))
      throw badRequest(`The parameter ${name.slice(0, 40)} was sent more than once`);
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function textsIn(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}
