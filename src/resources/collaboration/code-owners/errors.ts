// What is wrong with a file of code owners.

import type { Repo } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import type { CodeOwnersFile } from './find.ts';
import { codeOwnerLimits } from './limits.ts';
import { resolveOwners } from './owners.ts';
import type { CodeOwners, Problem } from './parse.ts';
import type { CodeOwnersErrors } from './schemas.ts';

const maxBytes = fixedValue(codeOwnerLimits.codeOwnersFile);
const maxWords = fixedValue(codeOwnerLimits.codeOwnersWords);
const maxShown = fixedValue(codeOwnerLimits.codeOwnersLine);
const maxErrors = fixedValue(codeOwnerLimits.codeOwnersErrors);

/** The first errors of a file. `host`: as `resolveOwners` takes it; without one, owners aren't looked for. */
export async function errorsOf(
  db: Db,
  repo: Repo,
  { path, owners }: CodeOwnersFile,
  host: string | undefined,
): Promise<CodeOwnersErrors> {
  if (!owners) {
    const message = `The file has more than ${maxBytes} bytes or ${maxWords} patterns and owners, so it is not used.`;
    return { errors: [{ line: 1, column: 1, kind: 'Too large', source: '', suggestion: null, message, path }] };
  }
  const unknown = host === undefined ? [] : await unknownOwners(db, repo, owners, host);
  const problems = [...owners.problems, ...unknown].sort((a, b) => a.line - b.line || a.column - b.column);
  return { errors: problems.slice(0, maxErrors).map((problem) => ({ ...shown(problem), path })) };
}

/** An error with its line, of which a long one is cut around what is wrong with it: a line may have many errors. */
function shown(problem: Problem): Problem & { message: string } {
  const { column, source } = problem;
  const start = source.length <= maxShown ? 0 : Math.max(0, column - 1 - maxShown / 2);
  const part = source.slice(start, start + maxShown).toWellFormed();
  return { ...problem, source: part, message: messageOf({ ...problem, source: part }, column - start) };
}

/** The owners who are nobody, or who may not write to the repository. */
async function unknownOwners(db: Db, repo: Repo, { rules }: CodeOwners, host: string): Promise<Problem[]> {
  const names = unique(rules.flatMap(({ owners }) => owners.map(({ text }) => text.toLowerCase())));
  const known = await resolveOwners(db, repo, names, host);
  return rules.flatMap(({ owners, source }) =>
    owners
      .filter(({ text }) => !known.has(text.toLowerCase()))
      .map(({ text, line, column }) => {
        const suggestion = `make sure that ${text} exists and may write to the repository`;
        return { line, column, kind: 'Unknown owner', source, suggestion };
      }),
  );
}

/** The line with a mark below what is wrong with it. */
const messageOf = ({ kind, line, source, suggestion }: Problem, column: number): string =>
  `${kind} on line ${line}:${suggestion === null ? '' : ` ${suggestion}`}\n\n  ${source}\n  ${' '.repeat(column - 1)}^`;
