// Changing the terms of a search, for links that filter a list.

/** A term of a search: `name:value`, whose value may be in quotes, or a word or a phrase. */
const term = /-?[\w.-]+:"[^"]*"|"[^"]*"|\S+/g;

/** What a link sets: one of these can be in a search at a time, but for labels, which add up. */
export type TermName = 'state' | 'author' | 'label' | 'milestone' | 'assignee' | 'review' | 'draft' | 'sort';

const patterns: Readonly<Record<TermName, RegExp>> = {
  state: /^-?(is:(open|closed|merged|unmerged)|state:.*)$/i,
  author: /^-?author:/i,
  label: /^-?(label:|no:label$)/i,
  milestone: /^-?(milestone:|no:milestone$)/i,
  assignee: /^-?(assignee:|no:assignee$)/i,
  review: /^-?(review|review-requested|user-review-requested|reviewed-by):/i,
  draft: /^-?(draft:|is:draft$)/i,
  sort: /^sort:/i,
};

/** The terms of a search. */
export const termsOf = (q: string): readonly string[] => q.match(term) ?? [];

/** The terms of a search that set something. */
export const termsNamed = (q: string, name: TermName): readonly string[] => termsOf(q).filter((one) => patterns[name].test(one));

/** A search with another term in the place of those that set the same; undefined removes them. */
export function withTerm(q: string, name: TermName, wanted: string | undefined): string {
  const others = termsOf(q).filter((one) => !patterns[name].test(one));
  return [...others, ...(wanted === undefined ? [] : [wanted])].join(' ');
}

/** A search with a label more, or without it where it has it. */
export function withLabel(q: string, label: string): string {
  const wanted = `label:${quoted(label)}`;
  const all = termsOf(q).filter((one) => one !== 'no:label');
  return (all.includes(wanted) ? all.filter((one) => one !== wanted) : [...all, wanted]).join(' ');
}

/** A value of a qualifier, in quotes where it needs them. Quotes within can't be written, and are left out. */
export const quoted = (value: string): string => (/^[\p{L}\p{N}._/@-]+$/u.test(value) ? value : `"${value.replaceAll('"', '')}"`);
