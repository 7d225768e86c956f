import { StartupError } from '#lib/startup-error.ts';
import type { Outbound } from '#net/outbound.ts';
import { builtinEmbedder } from './builtin.ts';
import type { Embedder } from './embedder.ts';
import { httpEmbedder } from './http.ts';
import { transformersEmbedder } from './transformers.ts';

export const embeddingProviders = ['builtin', 'transformers', 'http', 'off'] as const;

/** The settings of semantic search. */
export type EmbeddingSettings = {
  provider: (typeof embeddingProviders)[number];
  url?: string | undefined;
  model?: string | undefined;
  key?: string | undefined;
};

const defaultModel = 'Xenova/all-MiniLM-L6-v2';

/**
 * Opens the configured embedder; undefined for `off`.
 * @throws StartupError if a setting or the provider's package is missing
 */
export function openEmbedder({ provider, url, model, key }: EmbeddingSettings, outbound: Outbound): Embedder | undefined {
  switch (provider) {
    case 'off':
      return undefined;
    case 'builtin':
      return builtinEmbedder();
    case 'transformers':
      return transformersEmbedder({ model: model ?? defaultModel });
    case 'http':
      if (!url || !model)
        throw new StartupError('HEARTH_EMBEDDINGS=http needs HEARTH_EMBEDDINGS_URL and HEARTH_EMBEDDINGS_MODEL');
      return httpEmbedder({ outbound, url, model, key });
  }
}
