// Source code as HTML: highlighted in worker threads, and remembered.
import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { preparedResults } from '#lib/preparation.ts';
import { Refusal } from '#lib/refusal.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { digestOf } from './digest.ts';
import { escapeHtml } from './escape-html.ts';
import { codeLimits } from './limits.ts';
import type { RenderedHtml } from './rendered-html.ts';

const code = threadFunctions<typeof import('./code-html.ts')>(
  new URL('./code-html.ts', import.meta.url),
  fixedValue(codeLimits.time),
);
const maxHighlighted = fixedValue(codeLimits.highlighted);

type Source = {
  readonly text: string;
  /** The grammar, by `grammarOf`; without one, nothing is highlighted. */
  readonly grammar: string | undefined;
};

/** Lines without line breaks. Undefined if highlighting takes too long, since it would again. */
type Highlighted = { readonly lines: readonly RenderedHtml[] | undefined };

const highlighted = preparedResults<{ text: string; grammar: string; caller: Caller }, Highlighted>({
  compute: async ({ caller, ...source }) => {
    try {
      // the function makes nothing but escaped text and elements of its own
      return { lines: (await code.call('highlightCode', source, { caller })) as RenderedHtml[] };
    } catch (error) {
      if (error instanceof ThreadEnded) return { lines: undefined };
      throw error;
    }
  },
  keyOf: ({ text, grammar }) => `${digestOf(text)} ${grammar}`,
  sizeOf: ({ lines = [] }, key) => lines.reduce((sum, line) => sum + 2 * line.length + bytesOfLine, key.length),
  maxBytes: fixedValue(codeLimits.kept),
});

const bytesOfLine = 24;

/** The lines of a source text as HTML. A text that is long, or that takes long, isn't highlighted. */
export async function highlightLines({ text, grammar }: Source, caller: Caller): Promise<readonly RenderedHtml[]> {
  if (grammar === undefined || text.length > maxHighlighted) return plainLines(text);
  try {
    return (await highlighted.get({ text, grammar, caller })).lines ?? plainLines(text);
  } catch (error) {
    // Too many texts of the caller wait.
    if (error instanceof Refusal) return plainLines(text);
    throw error;
  }
}

// Whatever could be a tag is escaped.
const plainLines = (text: string): RenderedHtml[] => escapeHtml(text).split('\n') as RenderedHtml[];
