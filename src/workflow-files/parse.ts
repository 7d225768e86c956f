import type { EventsConfig, WorkflowJob } from '@actions/workflow-parser/model/workflow-template';
import type { MappingToken } from '@actions/workflow-parser/templates/tokens/mapping-token';
import type { TemplateToken } from '@actions/workflow-parser/templates/tokens/template-token';
import { isMapping } from '@actions/workflow-parser/templates/tokens/type-guards';
import { fixedValue, limitTable } from '#lib/limits.ts';
import type { Json } from './expressions.ts';
import { loadParser } from './parser-package.ts';

/** What is wrong with a workflow file, and where. Lines count from 1. */
export type WorkflowProblem = { readonly message: string; readonly line: number };

/** A part of a file as it was written, its expressions not evaluated. */
export type Source = { readonly [name: string]: Json };

/** A job of a workflow file. */
export type WorkflowFileJob = {
  readonly id: string;
  readonly needs: readonly string[];
  readonly definition: WorkflowJob;
  /** All of its parts, by their names. */
  readonly parts: MappingToken;
  readonly source: Source;
};

/** A workflow file that can be run. */
export type WorkflowFile = {
  readonly name: string | undefined;
  readonly events: EventsConfig;
  /** All of its parts, by their names. */
  readonly parts: MappingToken;
  readonly source: Source;
  /** In the order of the file. Each needs only jobs that are there, and none needs itself by way of others. */
  readonly jobs: ReadonlyMap<string, WorkflowFileJob>;
};

export type ParsedWorkflow = { readonly file: WorkflowFile } | { readonly problems: readonly WorkflowProblem[] };

const maxBytes = fixedValue(limitTable.workflows.fileBytes);

/** Where workflow files are: the neutral folder, and that of the public API. Both are read in both vocabularies. */
export const workflowFolders = ['.service/workflows', '.github/workflows'] as const;

export const isWorkflowPath = (path: string): boolean =>
  workflowFolders.some((folder) => path.startsWith(`${folder}/`) && /^[^/]+\.ya?ml$/.test(path.slice(folder.length + 1)));

/** Reads a workflow file by the parser of those who defined the format. */
export async function parseWorkflowFile(path: string, content: string): Promise<ParsedWorkflow> {
  if (Buffer.byteLength(content) > maxBytes)
    return { problems: [{ message: `The file has more than ${maxBytes / 1024} KiB`, line: 1 }] };
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter, parseYaml } = await loadParser();
  const { context, value } = parseWorkflow({ name: path, content }, new NoOperationTraceWriter());
  const template = value && (await convertWorkflowTemplate(context, value));
  const problems = context.errors.getErrors().map(({ rawMessage, range }) => ({
    message: rawMessage.split('\n')[0] ?? '',
    line: range?.start.line ?? 1,
  }));
  if (problems.length > 0) return { problems };
  if (!value || !template || !isMapping(value)) return { problems: [{ message: 'The file is empty', line: 1 }] };
  const source = parseYaml(content) as Source;
  const jobParts = value.find('jobs');
  const jobs = template.jobs.flatMap((definition) => {
    const id = definition.id.value;
    const parts = jobParts && isMapping(jobParts) ? jobParts.find(id) : undefined;
    if (!parts || !isMapping(parts)) return [];
    const needs = (definition.needs ?? []).map((need) => need.value);
    return [[id, { id, needs, definition, parts, source: partOf(partOf(source, 'jobs'), id) }] as const];
  });
  const name = source.name;
  return {
    file: {
      name: typeof name === 'string' && name !== '' ? name : undefined,
      events: template.events,
      parts: value,
      source,
      jobs: new Map(jobs),
    },
  };
}

/** A part of a mapping of a file that is itself a mapping; an empty one where there is none. */
export function partOf(source: Source, name: string): Source {
  const part = source[name];
  return part !== null && typeof part === 'object' && !Array.isArray(part) ? (part as Source) : {};
}

/** The line of a part of a file, from 1. */
export const lineOf = (token: TemplateToken | undefined): number => token?.range?.start.line ?? 1;
