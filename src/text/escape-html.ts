const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for HTML, including attributes in double quotes. Most texts need no change, and are returned as they are. */
export const escapeHtml = (text: string): string =>
  /[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (character) => entities[character] ?? '') : text;

const characters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(entities).map(([character, entity]) => [entity, character]),
);

/** The text that `escapeHtml`, or the sanitizer, has escaped. */
export const unescapeHtml = (html: string): string =>
  html.replace(/&(?:amp|lt|gt|quot);/g, (entity) => characters[entity] ?? entity);
