import { termsOf } from '#search/analyse/analyse.ts';
import type { Node } from '#search/query/tree.ts';
import { phrasePattern } from '#search/text-match/pattern.ts';
import { compile, hasPhrase, isPhrase, type Meaning } from './compile.ts';
import type { Matching } from './matching.ts';

/** The closer look at a hit: its texts decide about phrases, and its row about everything else. */
export type Check = {
  /** The conditions to be asked of the row. */
  questions: Matching[];
  /** Whether a hit with these texts, and these answers, really matches. */
  matches(texts: readonly string[], answers: readonly boolean[]): boolean;
};

type Test = (texts: readonly string[], answers: readonly boolean[]) => boolean;

/** Makes the closer look at those requirements that hold phrases. */
export function makeCheck(requirements: readonly Node[], meaning: Meaning): Check {
  const questions: Matching[] = [];
  const tests = requirements.filter(hasPhrase).map((node) => testOf(node, meaning, questions));
  return { questions, matches: (texts, answers) => tests.every((test) => test?.(texts, answers) ?? true) };
}

function testOf(node: Node, meaning: Meaning, questions: Matching[]): Test | undefined {
  if (node.kind === 'text' && isPhrase(node)) {
    const pattern = phrasePattern(termsOf(node.text));
    return (texts) => texts.some((text) => pattern.test(text));
  }
  if (!hasPhrase(node)) return questionOf(node, meaning, questions);
  if (node.kind === 'not') {
    const inner = testOf(node.part, meaning, questions);
    return inner && ((texts, answers) => !inner(texts, answers));
  }
  if (node.kind !== 'all' && node.kind !== 'any') return undefined;
  const inner = node.parts.map((part) => testOf(part, meaning, questions)).filter((test) => test !== undefined);
  if (node.kind === 'all') return (texts, answers) => inner.every((test) => test(texts, answers));
  return (texts, answers) => inner.some((test) => test(texts, answers));
}

/** Parts without a phrase are asked of the row. Parts that look for nothing are left out, as in the query itself. */
function questionOf(node: Node, meaning: Meaning, questions: Matching[]): Test | undefined {
  const question = compile(node, meaning);
  if (!question) return undefined;
  const at = questions.push(question) - 1;
  return (_texts, answers) => answers[at] === true;
}
