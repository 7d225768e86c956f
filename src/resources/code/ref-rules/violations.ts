// Messages about rules that refused a move, or that were bypassed.
import type { Applied } from '#resources/code/rulesets/index.ts';
import type { AnyEvaluation, MoveEvaluation } from './evaluator.ts';

/** Thrown where rules refuse to move refs. */
export class RuleViolations extends Error {
  readonly refused: readonly MoveEvaluation[];
  constructor(refused: readonly MoveEvaluation[]) {
    super(refused.map(messageOf).join('\n'));
    this.refused = refused;
  }
}

/** A rule with where it comes from. */
export const sourceName = ({ source: { type, name }, rule }: Applied<{ readonly type: string }>): string => {
  if (type === 'PushProtection' || type === 'MergeQueue') return name;
  return type === 'ProtectedBranch' ? `${rule.type}, protection of ${name}` : `${rule.type}, ruleset ${JSON.stringify(name)}`;
};

const isRefusing = ({ applied, violation, isBypassed }: AnyEvaluation): boolean =>
  violation !== undefined && !isBypassed && applied.enforcement === 'active';
const isBypassing = ({ applied, violation, isBypassed }: AnyEvaluation): boolean =>
  violation !== undefined && isBypassed && applied.enforcement === 'active';

const linesOf = (evaluations: readonly AnyEvaluation[]): string[] =>
  evaluations.map(({ applied, violation }) => `- ${violation} (${sourceName(applied)})`);

/** A refusal as an error message of the API: each broken rule on a line, with where it comes from. */
export const refusalMessage = (name: string, evaluations: readonly AnyEvaluation[]): string =>
  [`Repository rule violations found for ${name}`, '', ...linesOf(evaluations.filter(isRefusing))].join('\n');

const messageOf = ({ move, evaluations }: MoveEvaluation): string => refusalMessage(move.ref, evaluations);

/** The violations that were bypassed, each on a line. */
export const bypassedLines = (evaluations: readonly AnyEvaluation[]): string[] => linesOf(evaluations.filter(isBypassing));

/** What Git says of a ref that rules refuse to move. */
export const refusedReason = 'push declined due to repository rule violations';

/** The lines that the user of `git push` is shown of refused moves, and of those that broke rules which the user may bypass. */
export const pushLines = (moveEvaluations: readonly MoveEvaluation[]): string[] =>
  moveEvaluations.flatMap(({ move, evaluations, result }) => {
    if (result === 'pass') return [];
    const head = result === 'fail' ? 'error: Repository rule violations found for' : 'Bypassed rule violations for';
    return [
      `${head} ${move.ref}:`,
      ...(result === 'fail' ? linesOf(evaluations.filter(isRefusing)) : bypassedLines(evaluations)),
      '',
    ];
  });
