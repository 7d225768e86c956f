import { termsOf } from '#search/analyse/analyse.ts';
import type { Node } from '#search/query/tree.ts';
import type { Steps } from '#search/slices.ts';
import { phraseFinder } from '#search/text-match/phrase.ts';
import { compile, hasPhrase, isPhrase, type QueryContext } from './compile.ts';
import type { Matching } from './matching.ts';

/** The check of a candidate. Its texts are searched for phrases, and all other conditions are evaluated on its row. */
export type Check = {
  /** The conditions to evaluate on the rows of candidates. */
  conditions: Matching[];
  /** Whether a candidate with these texts and these results of `conditions` matches. */
  matches(texts: readonly string[], conditionResults: readonly boolean[]): Steps<boolean>;
};

type Test = (texts: readonly string[], conditionResults: readonly boolean[]) => Steps<boolean>;

/** Makes the check of those requirements that contain phrases. */
export function makeCheck(requirements: readonly Node[], context: QueryContext): Check {
  const conditions: Matching[] = [];
  const tests = requirements.filter(hasPhrase).map((node) => testOf(node, context, conditions));
  return {
    conditions,
    matches: firstWith(
      false,
      tests.filter((test) => test !== undefined),
    ),
  };
}

/** Runs tests in order until one has this result. If none has, returns the opposite result. */
const firstWith = (result: boolean, tests: readonly Test[]): Test =>
  function* first(texts, conditionResults) {
    for (const test of tests) if ((yield* test(texts, conditionResults)) === result) return result;
    return !result;
  };

function testOf(node: Node, context: QueryContext, conditions: Matching[]): Test | undefined {
  if (node.kind === 'text' && isPhrase(node)) {
    const finder = phraseFinder(termsOf(node.text));
    return function* phrase(texts) {
      for (const text of texts) if (yield* finder.isIn(text)) return true;
      return false;
    };
  }
  if (!hasPhrase(node)) return conditionTest(node, context, conditions);
  if (node.kind === 'not') {
    const inner = testOf(node.part, context, conditions);
    return (
      inner &&
      function* not(texts, conditionResults) {
        return !(yield* inner(texts, conditionResults));
      }
    );
  }
  if (node.kind !== 'all' && node.kind !== 'any') return undefined;
  const inner = node.parts.map((part) => testOf(part, context, conditions)).filter((test) => test !== undefined);
  return firstWith(node.kind === 'any', inner);
}

/** A part without a phrase becomes a condition on the row. As in the query itself, parts without words are omitted. */
function conditionTest(node: Node, context: QueryContext, conditions: Matching[]): Test | undefined {
  const condition = compile(node, context);
  if (!condition) return undefined;
  const at = conditions.push(condition) - 1;
  return function* answer(_texts, conditionResults) {
    yield;
    return conditionResults[at] === true;
  };
}
