import { sentRepositories } from '#resources/platform/assistant/reviews/server.ts';
import { embeddingProviders } from '#search/embeddings/settings.ts';
import { oneOf, serverAddress } from './setting-values.ts';
import type { Setting } from './settings.ts';

/** The settings of models: for semantic search, and for the assistant. */
export const modelSettings = {
  embeddings: {
    flag: '--embeddings <provider>',
    variable: 'HEARTH_EMBEDDINGS',
    initial: 'builtin',
    parse: oneOf(...embeddingProviders),
    about: 'what makes the vectors of semantic search: builtin, transformers, http or off',
  },
  embeddingsUrl: {
    variable: 'HEARTH_EMBEDDINGS_URL',
    parse: serverAddress,
    about: 'complete address of the embedding server, as http://10.0.0.5:11434/v1/embeddings',
  },
  embeddingsModel: {
    variable: 'HEARTH_EMBEDDINGS_MODEL',
    parse: String,
    about: 'model of the embedding server, or name or folder of the model for transformers',
  },
  embeddingsKey: {
    variable: 'HEARTH_EMBEDDINGS_KEY',
    secret: true,
    parse: String,
    about: 'key of the embedding server, sent as a bearer token',
  },
  assistantUrl: {
    variable: 'HEARTH_ASSISTANT_URL',
    parse: serverAddress,
    about:
      "root of an API like OpenAI's whose model reviews pull requests, as http://10.0.0.5:11434/v1; " +
      'omitted: no assistant is attached',
  },
  assistantModel: { variable: 'HEARTH_ASSISTANT_MODEL', parse: String, about: "model of the assistant's server" },
  assistantKey: {
    variable: 'HEARTH_ASSISTANT_KEY',
    secret: true,
    parse: String,
    about: "key of the assistant's server, sent as a bearer token",
  },
  assistantRepositories: {
    variable: 'HEARTH_ASSISTANT_REPOSITORIES',
    initial: 'public',
    parse: oneOf(...sentRepositories),
    about: "which repositories' changes are sent to the assistant's server: public, or all",
  },
} satisfies Record<string, Setting<unknown>>;
