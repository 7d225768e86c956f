import { kibi, limitGroup, mebi, minutes, seconds } from '#lib/limits.ts';

export const databaseLimits = limitGroup('database', 'PostgreSQL', {
  statementTime: {
    value: 10 * seconds,
    unit: 'milliseconds',
    of: 'one statement of a request',
    past: '503; searches reply with `incomplete_results`',
  },
  idleTime: {
    value: 2 * minutes,
    unit: 'milliseconds',
    of: 'a transaction of a request between two of its statements',
    past: 'it is undone; 503',
  },
  resultBytes: {
    value: 32 * mebi,
    unit: 'bytes',
    of: 'the rows that one statement of a request reads',
    past: '413; a list with fewer items on a page may be read',
  },
  jobStatementTime: {
    value: 15 * minutes,
    unit: 'milliseconds',
    of: 'one statement of a background job',
    past: 'the job is tried again later',
  },
  jobIdleTime: {
    value: 60 * minutes,
    unit: 'milliseconds',
    of: 'a transaction of a background job between two of its statements',
    past: 'it is undone, and the job is tried again later',
  },
  preparedText: {
    value: 8 * kibi,
    unit: 'bytes',
    of: 'a statement that PostgreSQL keeps prepared',
    past: 'it is planned anew each time',
  },
  preparedTexts: {
    value: 768 * kibi,
    unit: 'bytes',
    of: 'all statements together that each connection keeps prepared',
    past: 'further ones are planned anew each time',
  },
  preparedSearchTexts: {
    value: 64 * kibi,
    unit: 'bytes',
    of: 'connections that searches use',
    past: 'further ones are planned anew each time',
  },
});

export const listLimits = limitGroup('lists', 'Lists', {
  rows: {
    value: 100_000,
    unit: 'count',
    fixed: true,
    of: 'rows of a list that its pages reach',
    past: 'further pages are empty',
  },
});
