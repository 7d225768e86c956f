// The source texts of tests: the code of a test itself, and the rest of its file.

/** The source of a test, and the file's declarations outside of all tests. */
export type TestText = { readonly own: string; readonly shared: string };

/** The tests of a file whose names contain a text. In Biome's format, each begins and ends at the same indentation. */
export function testsNamed(text: string, name: string): TestText[] {
  const tests: string[] = [];
  const shared: string[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const indentation = /^( *)test\b/.exec(lines[at] ?? '')?.[1];
    if (indentation === undefined) {
      shared.push(lines[at] ?? '');
      continue;
    }
    const isEnd = (line: string, first: boolean): boolean =>
      line.startsWith(indentation) && (first || /^[\])}]/.test(line.slice(indentation.length))) && line.endsWith(';');
    const from = at;
    while (at < lines.length - 1 && !isEnd(lines[at] ?? '', at === from)) at++;
    tests.push(lines.slice(from, at + 1).join('\n'));
  }
  const isNamed = (test: string): boolean => test.includes(name) || test.includes(name.replaceAll("'", String.raw`\'`));
  return tests.filter(isNamed).map((own) => ({ own, shared: shared.join('\n') }));
}

/** A text without its expectations: the arguments of `toEqual` and others. */
export function withoutExpected(text: string): string {
  let kept = '';
  let at = 0;
  for (const { index } of text.matchAll(/\.(?:to[A-Z]\w*|objectContaining|arrayContaining)\(/g)) {
    if (index < at) continue;
    const open = text.indexOf('(', index);
    kept += text.slice(at, open);
    at = endOfCall(text, open);
  }
  return kept + text.slice(at);
}

function endOfCall(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Whether a text has an object property with this name, or the name as a string. Reads from a reply don't count. */
export const writesProperty = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w.$-])(?:'${name}'|${name}\\s*:(?!:)|(?<=[{,]\\s*)${name}(?=\\s*[,}]))`).test(text);

/** The values that a test writes: its own text, without its expectations, and the constants of its file that it uses. */
export function writtenBy({ own, shared }: TestText): string {
  const constants = [...shared.matchAll(/^(?:export )?const (\w+)[^=\n]*= (?!.*=>|(?:async )?function)[\s\S]*?;$/gm)];
  let text = own;
  for (const [declaration, name = ''] of constants.toReversed())
    if (new RegExp(`\\b${name}\\b`).test(text)) text += `\n${declaration}`;
  return withoutExpected(text);
}
