// The parser of workflow files. It runs in a worker thread, and returns plain data.

import type { WorkflowJob } from '@actions/workflow-parser/model/workflow-template';
import type { TemplateToken } from '@actions/workflow-parser/templates/tokens/template-token';
import {
  isBasicExpression,
  isBoolean,
  isMapping,
  isNumber,
  isSequence,
  isString,
} from '@actions/workflow-parser/templates/tokens/type-guards';
import { fixedValue } from '#lib/limits.ts';
import type { ParsedWorkflow, Source, WorkflowFileJob } from './file.ts';
import { partOf } from './file.ts';
import { sizeProblem } from './file-size.ts';
import { workflowFileLimits } from './limits.ts';
import { loadParser } from './parser-package.ts';
import { findPart, hasNul, type Token } from './token.ts';

const maxJobs = fixedValue(workflowFileLimits.runJobs);
const maxName = fixedValue(workflowFileLimits.nameLength);

export type WorkflowText = { readonly path: string; readonly content: string };

/** The contents of a workflow file, or its problems. */
export async function parse({ path, content }: WorkflowText): Promise<ParsedWorkflow> {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter, parseDocument } = await loadParser();
  if (content.includes('\0')) return problem(holdsNul);
  try {
    const document = parseDocument(content);
    const tooLarge = sizeProblem(document);
    if (tooLarge !== undefined) return problem(tooLarge);
    const { context, value } = parseWorkflow({ name: path, content }, new NoOperationTraceWriter());
    const template = value && (await convertWorkflowTemplate(context, value));
    const problems = context.errors.getErrors().map(({ rawMessage, range }) => ({
      message: rawMessage.split('\n')[0] ?? '',
      line: range?.start.line ?? 1,
    }));
    if (problems.some(({ message }) => stackExceeded.test(message))) return problem(nestedTooDeeply);
    if (problems.length > 0) return { problems };
    if (!value || !template || !isMapping(value)) return problem('The file is empty');
    if (template.jobs.length > maxJobs) return problem(`The file has more than ${maxJobs} jobs`);
    // Repetitions by aliases were counted above.
    const source = document.toJS({ maxAliasCount: -1 }) as Source;
    if (hasNul(source)) return problem(holdsNul);
    const parts = tokenOf(value);
    const jobs = template.jobs.map((job) => jobOf(job, parts, source)).filter((job) => job !== undefined);
    const { name } = source;
    return {
      file: {
        name: typeof name === 'string' && name !== '' ? name.slice(0, maxName).toWellFormed() : undefined,
        // Some of its values are instances of the parser's classes.
        events: JSON.parse(JSON.stringify(template.events)),
        parts,
        source,
        jobs: new Map(jobs.map((job) => [job.id, job])),
      },
    };
  } catch (error) {
    // Parsers are recursive for each level of a file.
    if (error instanceof RangeError) return problem(nestedTooDeeply);
    throw error;
  }
}

const holdsNul = 'The file holds a NUL character';
const nestedTooDeeply = 'The parts of the file are nested too deeply';
/** The YAML parser reports its own overflow as an error of the file. */
const stackExceeded = /^Maximum call stack size exceeded/;

const problem = (message: string): ParsedWorkflow => ({ problems: [{ message, line: 1 }] });

function jobOf(definition: WorkflowJob, file: Token, source: Source): WorkflowFileJob | undefined {
  const id = definition.id.value;
  const parts = findPart(file, 'jobs', id);
  if (parts?.kind !== 'mapping') return undefined;
  return {
    id,
    needs: (definition.needs ?? []).map((need) => need.value),
    isCall: definition.type !== 'job',
    condition: tokenOf(definition.if),
    parts,
    source: partOf(partOf(source, 'jobs'), id),
  };
}

/** A part of a file as plain data. */
function tokenOf(token: TemplateToken): Token {
  const line = token.range?.start.line ?? 1;
  if (isString(token) || isNumber(token) || isBoolean(token)) return { line, kind: 'scalar', value: token.value };
  if (isSequence(token)) return { line, kind: 'sequence', items: [...token].map(tokenOf) };
  if (isMapping(token))
    return { line, kind: 'mapping', entries: [...token].map(({ key, value }) => ({ key: tokenOf(key), value: tokenOf(value) })) };
  if (isBasicExpression(token)) return { line: token.line ?? line, kind: 'expression', expression: token.expression };
  return { line, kind: 'scalar', value: null };
}
