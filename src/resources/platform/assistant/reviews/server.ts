// The server that writes reviews, which the operator has configured.

/** Which repositories are sent to the server. */
export const sentRepositories = ['public', 'all'] as const;

export type AssistantServer = {
  /** The root of an API like OpenAI's, for example `http://10.0.0.5:11434/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  readonly repositories: (typeof sentRepositories)[number];
};
