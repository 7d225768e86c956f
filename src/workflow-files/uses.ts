import { isMapping, isSequence } from '@actions/workflow-parser/templates/tokens/type-guards';
import type { Json } from './expressions.ts';
import { lineOf, type WorkflowFile } from './parse.ts';

/** What a step or a job uses, with the line that says so. */
export type Use = { readonly of: 'step' | 'job'; readonly name: string; readonly line: number };

/** All that the steps and jobs of a file use. */
export function usesOf(file: WorkflowFile): Use[] {
  return [...file.jobs.values()].flatMap(({ parts, source }) => {
    const steps = parts.find('steps');
    const ofSteps =
      steps && isSequence(steps)
        ? [...steps].flatMap((step) => (isMapping(step) ? useOf('step', step.find('uses')?.toString(), lineOf(step)) : []))
        : [];
    return [...useOf('job', source.uses, lineOf(parts)), ...ofSteps];
  });
}

const useOf = (of: Use['of'], name: Json | undefined, line: number): Use[] =>
  typeof name === 'string' ? [{ of, name, line }] : [];
