/**
 * The beginning of a value as indented JSON, with whether it is the whole. The rest of a large value isn't visited.
 * @param most the number of characters
 */
export function jsonBeginning(value: unknown, most: number): { readonly text: string; readonly isWhole: boolean } {
  let text = '';
  const isFull = (): boolean => text.length >= most;
  const add = (one: unknown, indent: string): void => {
    if (isFull()) return;
    if (typeof one === 'string') text += JSON.stringify(one.slice(0, most));
    else if (one === null || typeof one !== 'object') text += JSON.stringify(one) ?? 'null';
    else if (Array.isArray(one))
      addAll(
        one.map((item) => ['', item] as const),
        ['[', ']'],
        indent,
      );
    else
      addAll(
        Object.entries(one).map(([name, item]) => [`${JSON.stringify(name)}: `, item] as const),
        ['{', '}'],
        indent,
      );
  };
  const addAll = (
    items: readonly (readonly [before: string, value: unknown])[],
    [open, close]: [string, string],
    indent: string,
  ): void => {
    if (items.length === 0) {
      text += `${open}${close}`;
      return;
    }
    text += open;
    for (const [at, [before, item]] of items.entries()) {
      if (isFull()) return;
      text += `${at === 0 ? '' : ','}\n${indent}  ${before}`;
      add(item, `${indent}  `);
    }
    text += `\n${indent}${close}`;
  };
  add(value, '');
  return { text: text.slice(0, most), isWhole: !isFull() };
}
