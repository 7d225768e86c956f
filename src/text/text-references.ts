// The references of Markdown texts. Long texts are read in worker threads.

import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { preparedResults } from '#lib/preparation.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { digestOf } from './digest.ts';
import { textLimits } from './limits.ts';
import { readMarkdown, type TextReferences } from './read.ts';
import { mayRefer } from './references.ts';

const { time, inProcess, kept } = textLimits;
const reader = threadFunctions<typeof import('./read.ts')>(new URL('./read.ts', import.meta.url), fixedValue(time));
const short = fixedValue(inProcess);

type WrittenText = { readonly text: string; readonly html?: string | undefined; readonly caller: Caller };

const none: TextReferences = { mentions: [], teamMentions: [], issues: [], commits: [] };

const results = preparedResults<WrittenText, TextReferences>({
  async compute({ caller, ...text }) {
    try {
      return await reader.call('readMarkdown', text, { caller });
    } catch (error) {
      if (error instanceof ThreadEnded) return none;
      throw error;
    }
  },
  keyOf: ({ text, html = '' }) => `${digestOf(text)} ${html}`,
  sizeOf: (references, key) => key.length + JSON.stringify(references).length,
  maxBytes: fixedValue(kept),
});

/** The references of a text that needs no thread; undefined for a longer text. */
function readShort({ text, html }: WrittenText): TextReferences | undefined {
  if (!mayRefer(text)) return none;
  return text.length <= short ? readMarkdown({ text, html }) : undefined;
}

/** The references of a text, outside of transactions. @throws Refusal if too many texts of the caller wait */
export const readReferences = async (written: WrittenText): Promise<TextReferences> =>
  readShort(written) ?? (await results.get(written));

/** The references of a text, in a transaction, which restarts if the text is long and wasn't read yet. */
export const requireReferences = (written: WrittenText): TextReferences =>
  readShort(written) ?? results.require([written])[0] ?? none;
