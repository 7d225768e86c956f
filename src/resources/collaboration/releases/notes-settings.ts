// What a file of a repository says of how notes of releases are made (the public API's format of `.github/release.yml`).
import { type Static, Type } from 'typebox';
import { Nullable } from '#lib/shape.ts';

const Names = Type.Optional(Nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 1_000 })));
const Excluded = Type.Optional(Nullable(Type.Object({ labels: Names, authors: Names })));
const Category = Type.Object({ title: Type.String({ pattern: '\\S', maxLength: 256 }), labels: Names, exclude: Excluded });
const File = Type.Object({
  changelog: Type.Optional(
    Nullable(Type.Object({ exclude: Excluded, categories: Type.Optional(Nullable(Type.Array(Category, { maxItems: 100 }))) })),
  ),
});

/** Labels and authors, in lower case; `*` is any label, and none as well. */
type Selection = { readonly labels: ReadonlySet<string>; readonly authors: ReadonlySet<string> };
export type NotesCategory = { readonly title: string; readonly labels: ReadonlySet<string>; readonly exclude: Selection };
export type NotesSettings = { readonly exclude: Selection; readonly categories: readonly NotesCategory[] };

/** A pull request as far as settings speak of it. */
type Sorted = { readonly labels: readonly string[]; readonly author: string | null };

export const noSettings: NotesSettings = { exclude: selectionOf(undefined), categories: [] };

/**
 * Reads a file of settings. Undefined: it isn't YAML, or says something else. The libraries are loaded when a file is read.
 */
export async function readNotesSettings(text: string): Promise<NotesSettings | undefined> {
  const [{ parse }, { Value }] = await Promise.all([import('yaml'), import('typebox/value')]);
  try {
    const file: unknown = parse(text, { maxAliasCount: 0, logLevel: 'error', prettyErrors: false }) ?? {};
    return Value.Check(File, file) ? settingsOf(file) : undefined;
  } catch {
    return undefined;
  }
}

const settingsOf = ({ changelog }: Static<typeof File>): NotesSettings => ({
  exclude: selectionOf(changelog?.exclude),
  categories: (changelog?.categories ?? []).map(({ title, labels, exclude }) => ({
    title: title.replaceAll(/\s+/g, ' ').trim(),
    labels: namesOf(labels),
    exclude: selectionOf(exclude),
  })),
});

function selectionOf(wanted: Static<typeof Excluded> | undefined): Selection {
  return { labels: namesOf(wanted?.labels), authors: namesOf(wanted?.authors) };
}

function namesOf(names: Static<typeof Names> | undefined): ReadonlySet<string> {
  return new Set((names ?? []).map((name) => name.toLowerCase()));
}

const hasLabel = (labels: ReadonlySet<string>, pull: Sorted): boolean =>
  labels.has('*') || pull.labels.some((label) => labels.has(label.toLowerCase()));

const isExcluded = ({ labels, authors }: Selection, pull: Sorted): boolean =>
  hasLabel(labels, pull) || (pull.author !== null && authors.has(pull.author.toLowerCase()));

/** Where there are categories, what is in none of them comes after them. */
const others = 'Other Changes';

/**
 * Sorts pull requests into the categories of the settings, each into the first that takes it. Without categories, they are in one
 * without a title; categories that stay empty are left out.
 */
export function sortPulls<Pull extends Sorted>(
  pulls: readonly Pull[],
  { exclude, categories }: NotesSettings,
): { title: string | undefined; pulls: Pull[] }[] {
  const shown = pulls.filter((pull) => !isExcluded(exclude, pull));
  const categoryOf = (pull: Pull) =>
    categories.find((category) => hasLabel(category.labels, pull) && !isExcluded(category.exclude, pull));
  const sorted = Map.groupBy(shown, categoryOf);
  const last = categories.length > 0 ? others : undefined;
  return [...categories.map((category) => [category.title, category] as const), [last, undefined] as const].flatMap(
    ([title, category]) => {
      const own = sorted.get(category);
      return own ? [{ title, pulls: own }] : [];
    },
  );
}
