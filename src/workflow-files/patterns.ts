// Patterns of branches, tags and paths in the filters of workflow files.
import { regularExpression, type TextTest } from '#lib/regular-expression.ts';

/**
 * Whether a name passes the patterns of a list, of which the last that matches decides: one with `!` takes away (the public API's rule).
 * `*` stands for characters but `/`, `**` for any; `?` and `+` are for none or one, and for one or more, of the character before.
 */
export function passes(patterns: readonly string[], name: string): boolean {
  let passed = false;
  for (const pattern of patterns) {
    const isNegated = pattern.startsWith('!');
    if (testOf(isNegated ? pattern.slice(1) : pattern)(name)) passed = !isNegated;
  }
  return passed;
}

const part =
  /(?<folders>(?<=^|\/)\*\*\/)|(?<any>\*\*)|(?<some>\*)|(?<repeat>[?+])|(?<class>\[[\w-]+\])|\\(?<escaped>.)|(?<plain>.)/gsu;

/** The test of one pattern. What is no pattern matches nothing. */
function testOf(pattern: string): TextTest {
  const expression = [...pattern.matchAll(part)].map(({ groups = {}, index }) => {
    const { folders, any, some, repeat, class: characters, escaped, plain = '' } = groups;
    if (folders) return '(?:.*/)?';
    if (any) return '.*';
    if (some) return '[^/]*';
    if (repeat) return index === 0 ? `\\${repeat}` : repeat;
    return characters ?? quoted(escaped ?? plain);
  });
  return regularExpression(`^(?s:${expression.join('')})$`) ?? (() => false);
}

const quoted = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
