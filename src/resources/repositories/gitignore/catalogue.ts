import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyed } from '#lib/collections.ts';
import { invalid } from '#lib/refusal.ts';

/** A template for a `.gitignore` file, with the public API's name. The texts in `templates/` were written for Hearth, by hand. */
type Template = { readonly name: string; readonly source: string };

const folder = join(import.meta.dirname, 'templates');
const ending = '.gitignore';

let read: ReadonlyMap<string, Template> | undefined;

/** All templates by their names in lower case, ordered by name. Their files are read once. */
export function templates(): ReadonlyMap<string, Template> {
  read ??= keyed(readdirSync(folder).filter(isTemplate).map(nameOf).sort().map(readTemplate), ({ name }) => name.toLowerCase());
  return read;
}

const isTemplate = (file: string): boolean => file.endsWith(ending);
const nameOf = (file: string): string => file.slice(0, -ending.length);
const readTemplate = (name: string): Template => ({ name, source: readFileSync(join(folder, name + ending), 'utf8') });

/** The template with a name, regardless of case. */
export const findTemplate = (name: string): Template | undefined => templates().get(name.toLowerCase());

/** The text of a new repository's `.gitignore`, by the name of its template. */
export function templateText(name: string): string {
  const template = findTemplate(name);
  if (!template) throw invalid('Repository', 'gitignore_template', 'invalid', 'gitignore_template is not a known template');
  return template.source;
}
