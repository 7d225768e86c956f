/** The names of licence files in the order of preference (the public API's). */
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

/** Source and data files with such names aren't licence files. */
const otherFiles = /\.(?:xml|sh|go|gemspec|js|ts|py|rb|json|ya?ml|spdx|header)$/i;

const rankOf = (name: string): number => (otherFiles.test(name) ? -1 : names.findIndex((pattern) => pattern.test(name)));

/** The names of licence files among the names in a folder, the preferred one first. */
export const licenseFileNames = (fileNames: readonly string[]): string[] =>
  fileNames.filter((name) => rankOf(name) >= 0).sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));

/** Whether a file has the text that the LGPL adds to the GPL. Another file then contains the GPL. */
export const isLesser = (name: string): boolean => /^(?:copying|licen[sc]e)\.lesser(?:\.\w+)?$/i.test(name);
