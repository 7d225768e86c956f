import { Refusal } from '#lib/refusal.ts';

/** The kinds of query errors. */
type QueryProblem =
  | 'missing'
  | 'too_long'
  | 'too_many_operators'
  | 'too_many_qualifiers'
  | 'too_many_lookups'
  | 'too_many_values'
  | 'dangling_operator'
  | 'unbalanced_parentheses'
  | 'too_deep'
  | 'invalid_value'
  | 'no_term'
  | 'inaccessible';

/** The limits of `lib/limits.ts` that a query may exceed. */
const limits: Partial<Record<QueryProblem, string>> = {
  too_long: 'search.text',
  too_many_operators: 'search.operators',
  too_many_qualifiers: 'search.qualifiers',
  too_many_lookups: 'search.lookups',
  too_many_values: 'search.values',
  too_deep: 'search.depth',
};

/** An invalid query. The client gets a validation error of `q`. */
export class QueryError extends Refusal {
  readonly problem: QueryProblem;

  constructor(problem: QueryProblem, message: string) {
    const error = { resource: 'Search', field: 'q', code: problem === 'missing' ? 'missing' : 'invalid', message } as const;
    const limit = limits[problem];
    super('invalid', 'Validation Failed', [error], limit ? { limit } : {});
    this.name = 'QueryError';
    this.problem = problem;
  }
}
