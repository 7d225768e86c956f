/** The names of licence files in the order in which they are looked for (the public API's), in whatever case. */
const names: readonly RegExp[] = [
  /^(?:un)?licen[sc]e$/i,
  /^(?:un)?licen[sc]e\.(?:md|markdown|txt|html)$/i,
  /^copying$/i,
  /^copying\.(?:md|markdown|txt|html)$/i,
  /^(?:un)?licen[sc]e\.(?!spdx$|header$)[^./]+$/i, // LICENSE.rst
  /^copying\.[^./]+$/i, // COPYING.LESSER
  /^(?:un)?licen[sc]e[-_][^/]+$/i, // LICENSE-MIT
  /^copying[-_][^/]+$/i,
  /^\w+[-_](?:un)?licen[sc]e(?:[-_.][^/]*)?$/i, // MIT-LICENSE.txt
  /^\w+[-_]copying(?:[-_.][^/]*)?$/i,
  /^ofl(?:\.[^./]+)?$/i,
];

/** Sources and data of such names hold no licence. */
const foreign = /\.(?:xml|sh|go|gemspec|js|ts|py|rb|json|ya?ml|spdx|header)$/i;

const rankOf = (name: string): number => (foreign.test(name) ? -1 : names.findIndex((pattern) => pattern.test(name)));

/** Of the names in a folder, those of licence files, the one that counts first. */
export const licenseFileNames = (all: readonly string[]): string[] =>
  all.filter((name) => rankOf(name) >= 0).sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));

/** Whether a file holds what the LGPL adds to the GPL, which stands in another file then. */
export const isLesser = (name: string): boolean => /^(?:copying|licen[sc]e)\.lesser(?:\.\w+)?$/i.test(name);
