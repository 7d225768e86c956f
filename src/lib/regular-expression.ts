import { RE2JS } from 're2js';

/**
 * Whether a regular expression matches somewhere in a text. It is matched by RE2, in a time that is linear in the text, whatever is written
 * in it (security decision 10).
 */
export type TextTest = (text: string) => boolean;

/** The test of a regular expression; undefined where RE2 knows none such. */
export function regularExpression(expression: string): TextTest | undefined {
  try {
    const compiled = RE2JS.compile(expression);
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}
