import { type Static, Type } from 'typebox';

/** The public API's bounds. */
const most = Type.Integer({ minimum: 1, maximum: 1000 });

export const CreationCap = Type.Object({ enabled: Type.Boolean(), max_open_pull_requests: most });
export type CreationCap = Static<typeof CreationCap>;

export const CreationCapChange = Type.Object(
  { enabled: Type.Boolean(), max_open_pull_requests: Type.Optional(most) },
  { title: 'PullRequestCreationCap' },
);
export type CreationCapChange = Static<typeof CreationCapChange>;
