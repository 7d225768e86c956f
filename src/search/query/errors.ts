import { Refusal } from '#lib/refusal.ts';

/** What may be wrong with a query. */
export type QueryProblem =
  | 'missing'
  | 'too_long'
  | 'too_many_operators'
  | 'too_many_qualifiers'
  | 'dangling_operator'
  | 'unbalanced_parentheses'
  | 'too_deep'
  | 'invalid_value'
  | 'no_term'
  | 'inaccessible';

/** The only error that a query can cause. It names what is wrong, and reaches the client as a failed validation of `q`. */
export class QueryError extends Refusal {
  readonly problem: QueryProblem;

  constructor(problem: QueryProblem, message: string) {
    super('invalid', 'Validation Failed', [
      { resource: 'Search', field: 'q', code: problem === 'missing' ? 'missing' : 'invalid', message },
    ]);
    this.name = 'QueryError';
    this.problem = problem;
  }
}
