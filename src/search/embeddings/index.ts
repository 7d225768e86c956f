/** The exports for other folders. */
export { EmbeddingsUnavailable } from './embedder.ts';
export { type Embeddings, type Neighbour, openEmbeddings, type Progress } from './embeddings.ts';
export { fuse } from './fuse.ts';
export { type EmbeddingSettings, openEmbedder } from './settings.ts';
