import { type Static, Type } from 'typebox';
import type { Db } from '#database/connect.ts';
import { Nullable } from '#lib/shape.ts';

// The usage that an assistant's provider reports. By default a server has no assistant, and no usage is known.

const people = { total_engaged_users: Type.Integer() };
const named = { name: Type.String(), ...people };
const model = {
  ...named,
  is_custom_model: Type.Boolean(),
  custom_model_training_date: Nullable(Type.String({ format: 'date' })),
};

const CodeCompletions = Type.Object({
  ...people,
  languages: Type.Array(Type.Object(named)),
  editors: Type.Array(
    Type.Object({
      ...named,
      models: Type.Array(
        Type.Object({
          ...model,
          languages: Type.Array(
            Type.Object({
              ...named,
              total_code_suggestions: Type.Integer(),
              total_code_acceptances: Type.Integer(),
              total_code_lines_suggested: Type.Integer(),
              total_code_lines_accepted: Type.Integer(),
            }),
          ),
        }),
      ),
    }),
  ),
});

const EditorChat = Type.Object({
  ...people,
  editors: Type.Array(
    Type.Object({
      ...named,
      models: Type.Array(
        Type.Object({
          ...model,
          total_chats: Type.Integer(),
          total_chat_insertion_events: Type.Integer(),
          total_chat_copy_events: Type.Integer(),
        }),
      ),
    }),
  ),
});

const WebChat = Type.Object({
  ...people,
  models: Type.Array(Type.Object({ ...model, total_chats: Type.Integer() })),
});

const WebPullRequests = Type.Object({
  ...people,
  repositories: Type.Array(
    Type.Object({ ...named, models: Type.Array(Type.Object({ ...model, total_pr_summaries_created: Type.Integer() })) }),
  ),
});

/** The usage of an assistant on a day. */
export const AssistantMetrics = Type.Object({
  date: Type.String({ format: 'date' }),
  total_active_users: Type.Integer(),
  total_engaged_users: Type.Integer(),
  assistant_ide_code_completions: Nullable(CodeCompletions),
  assistant_ide_chat: Nullable(EditorChat),
  assistant_web_chat: Nullable(WebChat),
  assistant_web_pull_requests: Nullable(WebPullRequests),
});
export type AssistantMetrics = Static<typeof AssistantMetrics>;

/** The users to report on: all users of an organization, or of a team, which is identified by its slug. */
export type AssistantUsers = { readonly organization: string; readonly team?: string | undefined };

/** When and in which editor somebody last used the assistant, and when they signed in to it. */
export type AssistantActivity = {
  readonly at: Date | null;
  readonly editor: string | null;
  readonly authenticatedAt: Date | null;
};

/** Knows how people use an assistant. The database is for a provider that keeps its figures there. */
export type AssistantProvider = {
  /** The days with usage between the two dates, inclusive, oldest first. */
  metrics(users: AssistantUsers, from: string, to: string, db: Db): Promise<readonly AssistantMetrics[]>;
  /** The activity of people, by their logins. People who never used the assistant are left out. */
  activity(organization: string, logins: readonly string[], db: Db): Promise<ReadonlyMap<string, AssistantActivity>>;
  /** The logins of people who have used it since a given time. */
  activeSince(organization: string, since: Date, db: Db): Promise<ReadonlySet<string>>;
};

/** The provider of a server without an assistant. */
export const noAssistant: AssistantProvider = {
  metrics: async () => [],
  activity: async () => new Map(),
  activeSince: async () => new Set(),
};
