/** The dates that the version header takes, oldest first. The first is meant when a request names none (document 1). */
export const apiVersions = ['2022-11-28', '2026-03-10'] as const;
export type ApiVersion = (typeof apiVersions)[number];
