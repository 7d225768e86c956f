import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import type { ParsedWorkflow } from './file.ts';
import { workflowFileLimits } from './limits.ts';

const { fileBytes, fileTime } = workflowFileLimits;
const maxBytes = fixedValue(fileBytes);
const seconds = fixedValue(fileTime) / 1_000;

const parser = threadFunctions<typeof import('./parser.ts')>(new URL('./parser.ts', import.meta.url), fixedValue(fileTime));

/**
 * Parses a workflow file in a worker thread, with the parser of the format's authors. The parser expands repetitions, and a file
 * that takes too long ends the thread.
 * @throws Refusal if too many files of the caller wait
 */
export async function parseWorkflowFile(path: string, content: string, caller: Caller): Promise<ParsedWorkflow> {
  if (Buffer.byteLength(content) > maxBytes) return problem(`The file has more than ${maxBytes / 1024} KiB`);
  try {
    return await parser.call('parse', { path, content }, { caller });
  } catch (error) {
    if (error instanceof ThreadEnded) return problem(`The file takes more than ${seconds} seconds or too much memory to be read`);
    throw error;
  }
}

const problem = (message: string): ParsedWorkflow => ({ problems: [{ message, line: 1 }] });
