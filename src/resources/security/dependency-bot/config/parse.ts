import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { botLimits } from '../limits.ts';
import type { ParsedConfig } from './config.ts';

const { configSize, configTime } = botLimits;
const maxBytes = fixedValue(configSize);

const parser = threadFunctions<typeof import('./parser.ts')>(new URL('./parser.ts', import.meta.url), fixedValue(configTime));

/**
 * Reads a configuration file of the bot, in a worker thread.
 * @throws Refusal if too many files of the caller wait
 */
export async function parseConfig(content: string, caller: Caller): Promise<ParsedConfig> {
  if (Buffer.byteLength(content) > maxBytes) return problem(`The file has more than ${maxBytes / 1024} KiB`);
  try {
    return await parser.call('parse', { content }, { caller });
  } catch (error) {
    if (error instanceof ThreadEnded) return problem('The file takes too much time or memory to be read');
    throw error;
  }
}

const problem = (message: string): ParsedConfig => ({ problems: [{ message, line: 1 }] });
