/** The API versions, oldest first. The first is the default of requests without the version header (document 1). */
export const apiVersions = ['2022-11-28', '2026-03-10'] as const;
export type ApiVersion = (typeof apiVersions)[number];
