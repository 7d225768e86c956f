import { termsOf } from '#search/analyse/analyse.ts';
import type { Node } from '#search/query/tree.ts';
import type { Steps } from '#search/slices.ts';
import { phraseFinder } from '#search/text-match/phrase.ts';
import { compile, hasPhrase, isPhrase, type Meaning } from './compile.ts';
import type { Matching } from './matching.ts';

/** The closer look at a hit: its texts decide about phrases, and its row about everything else. */
export type Check = {
  /** The conditions to be asked of the row. */
  conditions: Matching[];
  /** Whether a hit with these texts, and these answers, really matches. */
  matches(texts: readonly string[], answers: readonly boolean[]): Steps<boolean>;
};

type Test = (texts: readonly string[], answers: readonly boolean[]) => Steps<boolean>;

/** Makes the closer look at those requirements that hold phrases. */
export function makeCheck(requirements: readonly Node[], meaning: Meaning): Check {
  const conditions: Matching[] = [];
  const tests = requirements.filter(hasPhrase).map((node) => testOf(node, meaning, conditions));
  return {
    conditions,
    matches: until(
      false,
      tests.filter((test) => test !== undefined),
    ),
  };
}

/** Asks one test after the other until the first that answers so; the opposite where none does. */
const until = (last: boolean, tests: readonly Test[]): Test =>
  function* first(texts, answers) {
    for (const test of tests) if ((yield* test(texts, answers)) === last) return last;
    return !last;
  };

function testOf(node: Node, meaning: Meaning, conditions: Matching[]): Test | undefined {
  if (node.kind === 'text' && isPhrase(node)) {
    const finder = phraseFinder(termsOf(node.text));
    return function* phrase(texts) {
      for (const text of texts) if (yield* finder.isIn(text)) return true;
      return false;
    };
  }
  if (!hasPhrase(node)) return questionOf(node, meaning, conditions);
  if (node.kind === 'not') {
    const inner = testOf(node.part, meaning, conditions);
    return (
      inner &&
      function* not(texts, answers) {
        return !(yield* inner(texts, answers));
      }
    );
  }
  if (node.kind !== 'all' && node.kind !== 'any') return undefined;
  const inner = node.parts.map((part) => testOf(part, meaning, conditions)).filter((test) => test !== undefined);
  return until(node.kind === 'any', inner);
}

/** Parts without a phrase are asked of the row. Parts that look for nothing are left out, as in the query itself. */
function questionOf(node: Node, meaning: Meaning, conditions: Matching[]): Test | undefined {
  const condition = compile(node, meaning);
  if (!condition) return undefined;
  const at = conditions.push(condition) - 1;
  return function* answer(_texts, answers) {
    yield;
    return answers[at] === true;
  };
}
