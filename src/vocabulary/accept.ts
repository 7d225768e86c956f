import type { IncomingHttpHeaders } from 'node:http';
import type { Media } from '#lib/media.ts';

/** A header by its neutral name, in either vocabulary. */
export function neutralHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name] ?? headers[name.replace('service', 'github')];
  return Array.isArray(value) ? value[0] : value;
}

const vendorType =
  /^application\/vnd\.(?:service|github)(?:\.[\w-]+)*?(?:\.(raw|html|text|full|object|diff|patch|sha|text-match|star))?(?:\+json)?$/;

/** What an `Accept` header asks for; anything that includes JSON is acceptable. */
export function acceptMediaType(header: string | undefined): { media: Media; acceptable: boolean } {
  const types = (header ?? '*/*').split(',').map((part) => (part.split(';')[0] ?? '').trim().toLowerCase());
  for (const type of types) {
    const vendor = vendorType.exec(type);
    if (vendor) return { media: (vendor[1] ?? 'json') as Media, acceptable: true }; // the pattern's own words
  }
  const acceptable = types.some(
    (type) => type === '' || type === '*/*' || type === 'application/*' || type === 'application/json' || type.endsWith('+json'),
  );
  return { media: 'json', acceptable: acceptable || types.some((type) => type.startsWith('text/')) };
}
